// SPDX-License-Identifier: Apache-2.0
// Processes of this machine: starting and ending them, descriptors, signals, this program's own file.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rhizome::comm {

/// A file descriptor that is closed when it goes. Move-only.
class descriptor {
public:
    explicit descriptor(int number = -1) : number_(number) {}
    descriptor(descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
    /// Closes what this one held at once.
    descriptor& operator=(descriptor&& other) noexcept {
        reset(std::exchange(other.number_, -1));
        return *this;
    }
    ~descriptor() { reset(); }
    /// Closes it, and takes another one; -1: none.
    void reset(int number = -1);
    [[nodiscard]] int get() const { return number_; }

private:
    int number_;
};

/// A pipe whose ends no started program inherits. Both lie above 2, whatever this process has closed. Throws
/// std::runtime_error if the process has no descriptors left.
struct pipe_ends {
    pipe_ends();
    descriptor read;
    descriptor write;
};

/// Appends bytes of the descriptor to `text`, as many as one read() gives, and closes the descriptor at the
/// end. Returns whether bytes came. Waits for them unless the descriptor is non-blocking.
bool read_some(descriptor& from, std::string& text);

/// The last line of a text that is not empty, without its end.
[[nodiscard]] std::string last_line(std::string_view text);

/// What is started, and how.
struct program_start {
    std::vector<std::string> words;    ///< the path of the program, or a name to find in PATH; its arguments
    std::vector<int> descriptors = {}; ///< of this process: the program has them as 0, 1, ...; -1: /dev/null
    std::vector<std::string> variables = {}; ///< "NAME=value" each, besides those of this process
    bool is_bound = false; ///< has a process group of its own, and dies with the thread that started it
};

/// A program that this process has started. No shell is involved. SIGPIPE ends it, whatever this process does
/// with that signal. It inherits descriptors that were opened without O_CLOEXEC.
class child_process {
public:
    /// Returns once the program has begun. Throws std::runtime_error if it cannot be started.
    explicit child_process(program_start const& start);
    child_process(child_process const&) = delete;
    child_process& operator=(child_process const&) = delete;
    /// end()
    ~child_process() { end(); }

    /// Whether it has ended. Does not wait.
    [[nodiscard]] bool ended();
    /// Waits for its end.
    void wait();
    /// Sends a signal; to its group if it is bound.
    void send(int signal);
    /// Kills it, and waits for its end: at most 10 seconds, if a driver keeps it. If it is bound, kills also
    /// what it has left running.
    void end();

    /// How it ended; precondition: ended().
    [[nodiscard]] bool by_signal() const;
    /// As a shell reports it: 128 + the number of a signal.
    [[nodiscard]] int exit_code() const;

private:
    bool is_bound_;
    bool ended_ = false;
    int status_ = 0;
    pid_t process_;
};

/// While one of these lives, SIGINT, SIGTERM and SIGHUP do not end the process: they are noted, and calls of
/// the system that wait return with EINTR. One at a time.
class signal_watch {
public:
    signal_watch();
    signal_watch(signal_watch const&) = delete;
    signal_watch& operator=(signal_watch const&) = delete;
    ~signal_watch();
    /// The last signal that came; 0: none.
    [[nodiscard]] static int seen();
    /// Forgets a signal that came.
    static void forget();
};

/// This program's own file. Throws std::runtime_error where the system does not tell.
[[nodiscard]] std::string own_program();

/// "SIGSEGV" and its like, else "signal 35".
[[nodiscard]] std::string signal_name(int number);

} // namespace rhizome::comm
