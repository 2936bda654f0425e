// SPDX-License-Identifier: Apache-2.0
#include <rhizome/bench/harness/common_choices.hpp>
#include <rhizome/bench/harness/subject.hpp>
#include <rhizome/cli/parse_values.hpp>
#include <rhizome/cli/usage_error.hpp>
#include <rhizome/io/message_text.hpp>
#include <rhizome/runtime/catalogue.hpp>
#include <rhizome/runtime/components.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace rhizome::bench {

normalizer normal_count(std::uint64_t lowest, std::uint64_t highest) {
    return [=](std::string const& option, std::string const& text) {
        return std::to_string(cli::parse_count(option, text, lowest, highest));
    };
}

normalizer normal_name(std::vector<std::string> names) {
    return [names = std::move(names)](std::string const& option, std::string const& text) {
        if (std::find(names.begin(), names.end(), text) != names.end()) return text;
        throw cli::usage_error(
            fmt::format("--{}: there is no {}, only {}", option, io::quoted(text), fmt::join(names, ", ")));
    };
}

std::string normal_edges(std::string const& option, std::string const& text) {
    constexpr std::uint64_t million = 1'000'000;
    std::uint64_t unit = 1;
    std::string digits = text;
    if (!text.empty()) {
        if (text.back() == 'k' || text.back() == 'K') unit = 1000;
        if (text.back() == 'm' || text.back() == 'M') unit = million;
        if (unit != 1) digits.pop_back();
    }
    constexpr std::uint64_t most = 1000 * million;
    try {
        return std::to_string(unit * cli::parse_count(option, digits, 1, most / unit));
    } catch (cli::usage_error const&) {
        throw cli::usage_error(fmt::format("--{}: found {}, expected a count from 1 to {}, such as 10k or 1M",
                                           option, io::quoted(text), most));
    }
}

std::string normal_allocator(std::string const& option, std::string const& text) {
    if (std::string const absent = runtime::absence_of("allocator", text); !absent.empty())
        throw cli::usage_error(absent);
    std::vector<std::string> names;
    for (runtime::named_choice const& each : runtime::block_allocators())
        names.push_back(each.name);
    return normal_name(std::move(names))(option, text);
}

choice space_choice() {
    return {"space", "cuda, host, simt (default: cuda with a usable GPU, else host)", "SPACES", "", true, {}};
}

void add_repetition_choices(std::vector<choice>& choices, std::string const& warm_up,
                            std::string const& repetitions) {
    constexpr std::uint64_t most = 1'000'000;
    if (!warm_up.empty())
        choices.push_back(
            {"warm-up", "repetitions before the measured ones", "N", warm_up, false, normal_count(0, most)});
    if (!repetitions.empty())
        choices.push_back({"repetitions", "how often it is measured; the table shows the median", "N",
                           repetitions, false, normal_count(1, most)});
}

void add_machine_choices(std::vector<choice>& choices) {
    choices.push_back({"seed", "of what is drawn at random, and of the emulator", "S", "1", false,
                       normal_count(0, std::numeric_limits<std::uint64_t>::max())});
    choices.push_back({"host-threads", "host space: threads of the machine; 0: one a core", "N", "0", false,
                       normal_count(0, 4096)});
}

chosen_space space_of(cell const& which) {
    return {which.text("space"), which.count("seed"), static_cast<unsigned>(which.count("host-threads"))};
}

void fitting::lower(std::string const& choice, std::uint64_t by_default, std::uint64_t most) {
    if (chosen_.contains(choice) || !cell_.has(choice) || by_default <= most) return;
    cell_.set(choice, std::to_string(std::min(cell_.bytes(choice), most)));
    changes_ +=
        fmt::format("{}{} at most {} instead of {}", changes_.empty() ? "" : ", ", choice, most, by_default);
}

std::string fitting::note(space_description const& space, std::string const& why) const {
    if (changes_.empty()) return "";
    return fmt::format("{} on {}: {} ({})", cell_.benchmark, space.name, changes_, why);
}

} // namespace rhizome::bench
