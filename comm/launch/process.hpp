// SPDX-License-Identifier: Apache-2.0
// Processes of this machine: descriptors, signals, this program's own file.
#pragma once

#include <string>

namespace rhizome::comm {

/// A file descriptor that is closed when it goes.
class descriptor {
public:
    explicit descriptor(int number = -1) : number_(number) {}
    descriptor(descriptor const&) = delete;
    descriptor& operator=(descriptor const&) = delete;
    ~descriptor() { reset(); }
    /// Closes it, and takes another one; -1: none.
    void reset(int number = -1);
    [[nodiscard]] int get() const { return number_; }

private:
    int number_;
};

/// A pipe whose ends no started program inherits. Throws std::runtime_error if the process has no descriptors
/// left.
struct pipe_ends {
    pipe_ends();
    descriptor read;
    descriptor write;
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
