// SPDX-License-Identifier: Apache-2.0
#include <rhizome/bench/harness/csv.hpp>
#include <rhizome/io/parse_error.hpp>

#include <cerrno>
#include <cstring>

namespace rhizome::bench {
namespace {

std::string csv_field(std::string const& text) {
    if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
    std::string quoted = "\"";
    for (char const c : text)
        quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
    return quoted + "\"";
}

} // namespace

std::string csv_line(std::vector<std::string> const& fields) {
    std::string line;
    for (std::string const& each : fields)
        line += csv_field(each) + ",";
    line.back() = '\n';
    return line;
}

csv_reader::csv_reader(std::string const& path) : path_(path), file_(path) {
    if (!file_) throw io::file_error(path, std::string("cannot open: ") + std::strerror(errno));
}

bool csv_reader::next_line(std::string& line) {
    if (!std::getline(file_, line)) {
        if (file_.bad()) throw io::file_error(path_, "cannot read");
        return false;
    }
    ++lines_;
    return true;
}

bool csv_reader::next(std::vector<std::string>& fields) {
    std::string line;
    do
        if (!next_line(line)) return false;
    while (line.empty() || line == "\r" || line.front() == '#');
    begin_ = lines_;
    fields.assign(1, "");
    bool quoted = false;
    bool was_quoted = false; // this field, up to here
    for (std::size_t at = 0;; ++at) {
        if (at == line.size()) {
            if (!quoted) return true;
            if (!next_line(line))
                throw io::parse_error(path_, begin_, "a quote that is not closed", "its end");
            fields.back() += '\n';
            at = static_cast<std::size_t>(-1); // the loop goes on with 0
        } else if (quoted) {
            bool const is_quote = line[at] == '"';
            bool const is_pair = is_quote && at + 1 < line.size() && line[at + 1] == '"';
            if (is_pair) ++at;
            if (is_quote && !is_pair)
                quoted = false;
            else
                fields.back() += line[at];
        } else if (line[at] == ',') {
            fields.emplace_back();
            was_quoted = false;
        } else if (line[at] == '"' && fields.back().empty() && !was_quoted) {
            quoted = was_quoted = true;
        } else if (line[at] == '\r' && at + 1 == line.size()) {
            return true;
        } else if (was_quoted) {
            throw io::parse_error(path_, lines_, io::quoted(line), "a comma after the quote");
        } else {
            fields.back() += line[at];
        }
    }
}

} // namespace rhizome::bench
