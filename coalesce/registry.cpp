// SPDX-License-Identifier: Apache-2.0
#include "registry.hpp"

#include <fstream>
#include <map>
#include <sstream>

namespace rhizome::coalesce {
namespace {

std::map<std::string, registered_function>& registered_functions() {
    static std::map<std::string, registered_function> all;
    return all;
}

bool take_word(registered_function& one, std::string const& word) {
    if (word == "waits") return one.waits = true;
    if (word == "keeps") return one.keeps = true;
    if (word == "told") return one.told = true;
    if (word != "arguments" && word != "warp" && word != "block") return false;
    one.result = word == "arguments" ? registered_result::by_arguments
                 : word == "warp"    ? registered_result::same_in_warp
                                     : registered_result::same_in_block;
    return true;
}

} // namespace

std::optional<std::string> read_known_functions(std::string const& path) {
    std::ifstream file(path);
    if (!file) return "cannot read " + path;
    std::string line;
    for (unsigned number = 1; std::getline(file, line); ++number) {
        line = line.substr(0, line.find('#'));
        std::size_t const first = line.find_first_not_of(" \t\r");
        if (first == std::string::npos) continue;
        std::string const where = path + ":" + std::to_string(number) + ": ";
        std::size_t colon = line.find(": ", first); // not that of A::b
        if (colon == std::string::npos) {
            std::size_t const last = line.find_last_not_of(" \t\r");
            if (line[last] != ':' || last == first) return where + "expected NAME: WORDS";
            colon = last;
        }
        std::string const name = line.substr(first, colon - first);
        if (name.find_first_of(" \t()") != std::string::npos)
            return where + "'" + name + "' is not the name of a function";
        registered_function one;
        std::istringstream words(line.substr(colon + 1));
        for (std::string word; words >> word;)
            if (!take_word(one, word))
                return where + "'" + word + "' is none of waits, keeps, told, arguments, warp and block";
        if (!registered_functions().emplace(name, one).second) return where + name + " was named before";
    }
    return {};
}

registered_function const* find_registered(std::string const& qualified_name) {
    auto const found = registered_functions().find(qualified_name);
    return found == registered_functions().end() ? nullptr : &found->second;
}

} // namespace rhizome::coalesce
