// SPDX-License-Identifier: Apache-2.0
#include <rhizome/bench/papers/ggarray/comparison.hpp>

#include <fmt/format.h>

#include <string>

namespace rhizome::bench {
namespace {

struct table_row {
    char const* paper; ///< the structure's name there
    char const* ours;
    double grow; ///< milliseconds on an A100; 0: none
    double insert;
    double read_write;
};
constexpr table_row rows[] = {{"static", "static", 0, 7.07, 6.27},
                              {"memMap", "region", 5.21, 7.87, 6.28},
                              {"GGArray512", "gg-512", 8.76, 11.79, 69.73},
                              {"GGArray32", "gg-32", 0.52, 27.90, 198.32}};
constexpr char const* last_size = "512000000";

ratio_range one(double value) { return {.mean = value, .lowest = {}, .highest = {}}; }

} // namespace

std::vector<comparison> compare_ggarray_table2(std::vector<measured_cell> const& all_cells) {
    // The paper's table is of one policy on one machine: of those measured here, the first.
    std::vector<measured_cell> cells;
    for (measured_cell const& each : all_cells)
        if (cells.empty() || (each.cell.text("insertion") == cells.front().cell.text("insertion") &&
                              each.cell.text("space") == cells.front().cell.text("space")))
            cells.push_back(each);
    std::vector<comparison> found;
    auto const each_measure = [&](table_row const& row, auto&& call) {
        if (row.grow != 0) call("grow", row.grow);
        call("insert", row.insert);
        call("read_write", row.read_write);
    };
    for (table_row const& row : rows)
        each_measure(row, [&](char const* measure, double paper) {
            std::vector<double> own;
            for (measured_cell const& cell : cells)
                if (cell.cell.text("structure") == row.ours && cell.cell.text("elements") == last_size)
                    if (auto const median = median_of(cell, measure)) own.push_back(*median);
            found.push_back({fmt::format("milliseconds of {}, {} (paper: A100)", measure, row.paper),
                             one(paper), range_of(own), own.size(), "table 2"});
        });
    for (table_row const& row : rows) {
        if (row.ours == std::string("static")) continue;
        for (char const* measure : {"insert", "read_write"}) {
            std::vector<double> own;
            for (measured_cell const& cell : cells)
                for (measured_cell const& under : cells)
                    if (cell.cell.text("structure") == row.ours && under.cell.text("structure") == "static" &&
                        cell.cell.text("elements") == under.cell.text("elements"))
                        if (auto const ratio = ratio_of(cell, under, measure)) own.push_back(*ratio);
            bool const inserts = measure == std::string("insert");
            found.push_back({fmt::format("{}, {} over static", measure, row.paper),
                             one(inserts ? row.insert / rows[0].insert : row.read_write / rows[0].read_write),
                             range_of(own), own.size(), "table 2"});
        }
    }
    return found;
}

} // namespace rhizome::bench
