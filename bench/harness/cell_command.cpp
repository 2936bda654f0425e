// SPDX-License-Identifier: Apache-2.0
// rhizome bench cell: one cell in this process, for `bench run`, which starts it. The request comes on
// standard input, the answer goes to a descriptor of its own: what a benchmark prints cannot spoil it.
#include <rhizome/bench/harness/child.hpp>
#include <rhizome/bench/harness/commands.hpp>
#include <rhizome/bench/harness/messages.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <iostream>
#include <iterator>
#include <stdexcept>

namespace rhizome::bench {
namespace {

cli::command_text cell_text() {
    return {.name = "bench cell",
            .words = "",
            .summary = "answers one request of 'rhizome bench run'",
            .details = "",
            .examples = "",
            .options = {},
            .opens_session = false,
            .has_json = false,
            .hidden = true};
}

void run_cell(cli::command_context& context) {
    (void)context.args.words(0, 0);
    // Whoever starts it by hand may well have the descriptor open; a terminal would be read without end.
    bool const answerable = fcntl(answer_descriptor, F_GETFD) >= 0 && !isatty(STDIN_FILENO);
    std::string const request =
        answerable ? std::string{std::istreambuf_iterator<char>(std::cin), {}} : std::string{};
    if (request.empty())
        throw std::runtime_error("bench cell is started by 'rhizome bench run', and not by hand");
    std::string const answer = answer_request(request);
    std::size_t put = 0;
    while (put < answer.size()) {
        ssize_t const now = write(answer_descriptor, answer.data() + put, answer.size() - put);
        if (now < 0 && errno != EINTR)
            throw std::runtime_error(std::string("cannot answer: ") + std::strerror(errno));
        if (now > 0) put += static_cast<std::size_t>(now);
    }
}

} // namespace

cli::command const cell_command{cell_text, run_cell};

} // namespace rhizome::bench
