#include <rhizome/bench/public_figures.hpp>
#include <rhizome/io/parse_error.hpp>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>
#include <limits>

namespace rhizome::bench {
namespace {

std::vector<std::string> fields_of(std::string const& line) {
    std::vector<std::string> fields;
    std::size_t begin = 0;
    while (true) {
        std::size_t const end = std::min(line.find(',', begin), line.size());
        fields.push_back(line.substr(begin, end - begin));
        if (end == line.size()) return fields;
        begin = end + 1;
    }
}

bool is_workload_of(public_figure const& figure, cell const& which, std::string const& measure) {
    bool const fits = std::all_of(figure.choices.begin(), figure.choices.end(), [&](auto const& each) {
        return which.has(each.first) && which.text(each.first) == each.second;
    });
    return fits && figure.benchmark == which.benchmark && figure.measure == measure &&
           (!which.has("mode") || which.text("mode") == "thread");
}

/// What the head of a file says of its columns.
class columns {
public:
    /// Throws io::parse_error for a head that lacks one of those that a figure needs, or has one twice.
    columns(std::string const& path, std::uint64_t line, std::string const& head) : names_(fields_of(head)) {
        for (char const* needed : {"benchmark", "system", "measure", "value", "note"})
            if (std::find(names_.begin(), names_.end(), needed) == names_.end())
                throw io::parse_error(path, line, io::quoted(head),
                                      std::string("a column ") + needed + " among others");
        std::vector<std::string> sorted = names_;
        std::sort(sorted.begin(), sorted.end());
        auto const twice = std::adjacent_find(sorted.begin(), sorted.end());
        if (twice != sorted.end())
            throw io::parse_error(path, line, io::quoted(*twice) + " twice", "each column once");
    }

    [[nodiscard]] public_figure figure(std::string const& path, std::uint64_t line,
                                       std::string const& text) const {
        std::vector<std::string> const fields = fields_of(text);
        if (fields.size() != names_.size())
            throw io::parse_error(path, line, std::to_string(fields.size()) + " fields",
                                  std::to_string(names_.size()));
        public_figure result;
        std::pair<char const*, std::string*> const own[] = {{"benchmark", &result.benchmark},
                                                            {"system", &result.system},
                                                            {"allocator", &result.allocator},
                                                            {"measure", &result.measure},
                                                            {"note", &result.note}};
        for (std::size_t i = 0; i < fields.size(); ++i) {
            auto const place = std::find_if(std::begin(own), std::end(own),
                                            [&](auto const& each) { return each.first == names_[i]; });
            if (place != std::end(own))
                *place->second = fields[i];
            else if (names_[i] == "value")
                result.value = value_of(path, line, fields[i]);
            else if (!fields[i].empty())
                result.choices.emplace_back(names_[i], fields[i]);
        }
        return result;
    }

private:
    static std::optional<double> value_of(std::string const& path, std::uint64_t line,
                                          std::string const& text) {
        if (text.empty()) return {};
        double value = 0;
        char const* const end = text.data() + text.size();
        auto const [stop, error] = std::from_chars(text.data(), end, value);
        if (error != std::errc{} || stop != end || !std::isfinite(value) || value <= 0)
            throw io::parse_error(path, line, io::quoted(text), "a number above 0, or nothing");
        return value;
    }

    std::vector<std::string> names_;
};

} // namespace

public_figures::public_figures(std::vector<std::string> const& paths) {
    for (std::string const& path : paths)
        read(path);
}

void public_figures::read(std::string const& path) {
    std::ifstream file(path);
    if (!file) throw io::file_error(path, std::string("cannot open: ") + std::strerror(errno));
    source_names_ += (source_names_.empty() ? "" : ", ") + path.substr(path.rfind('/') + 1);
    std::string line;
    std::uint64_t number = 0;
    std::optional<columns> head;
    while (std::getline(file, line)) {
        ++number;
        if (!line.empty() && line.back() == '\r') line.pop_back();
        if (line.empty() || line.front() == '#') continue;
        if (head)
            figures_.push_back(head->figure(path, number, line));
        else
            head.emplace(path, number, line);
    }
    if (file.bad()) throw io::file_error(path, "cannot read");
}

public_figure const* public_figures::counterpart(cell const& which, std::string const& measure) const {
    if (!which.has("allocator")) return nullptr;
    std::string const& ours = which.text("allocator");
    public_figure const* found = nullptr;
    for (public_figure const& each : figures_) {
        bool const same_design =
            !each.allocator.empty() && (ours == each.allocator || ours.starts_with(each.allocator + "-"));
        if (!same_design || !is_workload_of(each, which, measure)) continue;
        if (found == nullptr || found->allocator.size() < each.allocator.size()) found = &each;
    }
    return found;
}

public_figure const* public_figures::best(cell const& which, std::string const& measure,
                                          bool more_is_better) const {
    public_figure const* found = nullptr;
    for (public_figure const& each : figures_) {
        if (!each.value || each.allocator == "bump" || !is_workload_of(each, which, measure)) continue;
        if (found == nullptr || (more_is_better ? *each.value > *found->value : *each.value < *found->value))
            found = &each;
    }
    return found;
}

double advantage(double ours, double theirs, bool more_is_better) {
    double const better = more_is_better ? ours : theirs;
    double const worse = more_is_better ? theirs : ours;
    return worse == 0 ? std::numeric_limits<double>::infinity() : better / worse;
}

} // namespace rhizome::bench
