#include <rhizome/bench/public_figures.hpp>
#include <rhizome/io/parse_error.hpp>

#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>

namespace rhizome::bench {
namespace {

constexpr char const* header = "benchmark,system,allocator,size,threads,heap,space,measure,value,note";
constexpr std::size_t columns = 10;

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

bool fits(std::string const& recorded, cell const& which, char const* choice) {
    return recorded.empty() || (which.has(choice) && which.text(choice) == recorded);
}

bool is_workload_of(public_figure const& figure, cell const& which, std::string const& measure) {
    return figure.benchmark == which.benchmark && figure.measure == measure &&
           fits(figure.size, which, "size") && fits(figure.threads, which, "threads") &&
           fits(figure.heap, which, "heap") && fits(figure.space, which, "space") &&
           (!which.has("mode") || which.text("mode") == "thread");
}

} // namespace

public_figures::public_figures(std::string const& path) : source_(path) {
    std::ifstream file(path);
    if (!file) throw io::file_error(path, std::string("cannot open: ") + std::strerror(errno));
    std::string line;
    std::uint64_t number = 0;
    bool has_header = false;
    while (std::getline(file, line)) {
        ++number;
        if (!line.empty() && line.back() == '\r') line.pop_back();
        if (line.empty() || line.front() == '#') continue;
        if (!has_header) {
            if (line != header) throw io::parse_error(path, number, io::quoted(line), io::quoted(header));
            has_header = true;
            continue;
        }
        std::vector<std::string> const fields = fields_of(line);
        if (fields.size() != columns)
            throw io::parse_error(path, number, std::to_string(fields.size()) + " fields",
                                  std::to_string(columns));
        public_figure figure{fields[0], fields[1], fields[2], fields[3], fields[4],
                             fields[5], fields[6], fields[7], {},        fields[9]};
        if (!fields[8].empty()) {
            double value = 0;
            char const* const end = fields[8].data() + fields[8].size();
            auto const [stop, error] = std::from_chars(fields[8].data(), end, value);
            if (error != std::errc{} || stop != end || !std::isfinite(value) || value <= 0)
                throw io::parse_error(path, number, io::quoted(fields[8]), "a number above 0, or nothing");
            figure.value = value;
        }
        figures_.push_back(std::move(figure));
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
