// What public code reaches on the same workloads, as recorded in a data file.
#pragma once

#include <rhizome/bench/cell.hpp>

#include <optional>
#include <string>
#include <vector>

namespace rhizome::bench {

/// One figure. A text that is empty, or a count that is 0, fits every cell.
struct public_figure {
    std::string benchmark;
    std::string system;    ///< "Gallatin"
    std::string allocator; ///< ours of the same design; its variants begin with the same name; "": none
    std::string size;
    std::string threads;
    std::string heap;
    std::string space; ///< figures of a GPU say nothing of a host
    std::string measure;
    std::optional<double> value; ///< none: it crashed, hung, or could not run
    std::string note;
};

class public_figures {
public:
    public_figures() = default;
    /// Throws io::parse_error for a damaged file, io::file_error where it cannot be read.
    explicit public_figures(std::string const& path);

    /// The figure of the public counterpart of the cell's own allocator, nullptr where none is recorded. The
    /// cell's workload must be the recorded one: size, threads, heap, space, one request a thread.
    [[nodiscard]] public_figure const* counterpart(cell const& which, std::string const& measure) const;

    /// The best value that any public system reaches there, floors that never free left out.
    [[nodiscard]] public_figure const* best(cell const& which, std::string const& measure,
                                            bool more_is_better) const;

    [[nodiscard]] std::string const& source() const { return source_; } ///< the file; "" without one
    [[nodiscard]] std::string source_name() const { return source_.substr(source_.rfind('/') + 1); }
    [[nodiscard]] std::size_t size() const { return figures_.size(); }

private:
    std::string source_;
    std::vector<public_figure> figures_;
};

/// How many times better ours is; above 1 is better.
[[nodiscard]] double advantage(double ours, double theirs, bool more_is_better);

} // namespace rhizome::bench
