// SPDX-License-Identifier: Apache-2.0
// The arrays of a batch: how many bytes they take, and that those in use at the same time lie apart.
#include <rhizome/exec/host.hpp>
#include <rhizome/graph/batch/plan/row_bins.hpp>
#include <rhizome/graph/batch/scratch.hpp>

#include <gtest/gtest.h>
#include <type_names.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace rhizome::tests {
namespace {

namespace batch = graph::batch;

template <class Id, bool HasValues>
struct kind {
    using id_type = Id;
    static constexpr bool has_values = HasValues;
};
template <class Kind>
class scratch_arrays : public ::testing::Test {
protected:
    using id_type = typename Kind::id_type;
    static constexpr bool has_values = Kind::has_values;
    using scratch_type = batch::scratch<exec::host_space, id_type, has_values>;
    using sorted_type = batch::sorted_arrays<id_type, has_values>;

    /// The bytes of the arrays, which are cut anew.
    [[nodiscard]] std::uint64_t bytes(batch::cut_sizes const& sizes) {
        scratch_type scratch(exec::host_space{}, nullptr);
        static_cast<void>(scratch.cut(&counts_, sizes));
        return scratch.held_bytes();
    }

    batch::beginning counts_{};
};
using kinds = ::testing::Types<kind<std::uint32_t, false>, kind<std::uint32_t, true>,
                               kind<std::uint64_t, false>, kind<std::uint64_t, true>>;
struct kind_names {
    template <class Kind>
    static std::string GetName(int) {
        return value_name<typename Kind::id_type>() + (Kind::has_values ? "_with_values" : "");
    }
};
TYPED_TEST_SUITE(scratch_arrays, kinds, kind_names);

/// Memory in use at the same time.
class ranges {
public:
    template <class T>
    ranges& add(std::string name, T const* begin, std::uint64_t count) {
        auto const* const bytes = reinterpret_cast<std::byte const*>(begin);
        if (count != 0) all_.push_back({bytes, bytes + count * sizeof(T), std::move(name)});
        return *this;
    }
    void expect_apart() const {
        std::vector<range> sorted = all_;
        std::sort(sorted.begin(), sorted.end(),
                  [](range const& a, range const& b) { return a.begin < b.begin; });
        for (std::size_t i = 1; i < sorted.size(); ++i)
            EXPECT_LE(sorted[i - 1].end, sorted[i].begin) << sorted[i - 1].name << " and " << sorted[i].name;
    }

private:
    struct range {
        std::byte const* begin;
        std::byte const* end;
        std::string name;
    };
    std::vector<range> all_;
};

TYPED_TEST(scratch_arrays, in_use_at_the_same_time_lie_apart) {
    for (std::uint64_t arcs = 1; arcs < 3'000; arcs += arcs / 3 + 1)
        for (std::uint64_t rows : {std::uint64_t{1}, std::uint64_t{7}, arcs / 20 + 1, arcs / 2 + 1, 2 * arcs})
            for (unsigned which = 0; which < 4; ++which) {
                bool const lists = (which & 1) != 0;
                bool const keeps_keys = (which & 2) != 0;
                SCOPED_TRACE(::testing::Message() << arcs << " arcs, " << rows << " rows, " << which);
                typename TestFixture::scratch_type scratch(exec::host_space{}, nullptr);
                auto const cut = scratch.cut(&this->counts_, {.arcs = arcs,
                                                              .rows = rows,
                                                              .graph_arcs = 3 * arcs,
                                                              .lists_arcs = lists,
                                                              .keeps_keys = keeps_keys,
                                                              .sorts = true,
                                                              .orders = false,
                                                              .in_pieces = true,
                                                              .bulk = false});
                std::uint64_t const touched = std::min(arcs, rows);
                std::uint64_t const words = (arcs + 1 + 31) / 32;
                std::uint64_t const pieces =
                    std::min(touched, 4 * arcs / graph::tuning::tile_degree) + 4 * arcs / cut.a.piece_degree;
                for (auto const& [a, s] : cut.sorted) {
                    auto const keys = [&, &s = s] {
                        ranges in_use;
                        in_use.add("keys", s.pairs.keys, arcs);
                        if (TestFixture::has_values) in_use.add("values", s.pairs.values, arcs);
                        return in_use;
                    };
                    auto const and_rows = [&, &s = s](ranges in_use) {
                        in_use.add("changes", s.changes.words, words).add("sums", s.changes.sums, words);
                        in_use.add("begin", s.slice_begin, touched + 1).add("row", s.slice_row, touched);
                        return in_use;
                    };
                    auto const and_slices = [&, &a = a, &s = s](ranges in_use) {
                        in_use.add("slices", a.slices, touched).add("listed", a.listed, touched);
                        in_use.add("pieces", s.pieces, pieces);
                        return in_use;
                    };
                    ranges sorting = keys().add("other keys", s.alternate.keys, arcs);
                    if (TestFixture::has_values) sorting.add("other values", s.alternate.values, arcs);
                    sorting.expect_apart();
                    ranges judging = and_rows(keys());
                    judging.add("firsts", s.firsts.words, words).add("first sums", s.firsts.sums, words);
                    if (!lists) {
                        and_slices(judging).expect_apart(); // the first batch of a graph
                        continue;
                    }
                    judging.add("numbers", a.numbers, arcs).expect_apart();
                    and_rows(keys()).add("numbers", a.numbers, arcs).add("arcs", a.arcs, arcs).expect_apart();
                    and_slices(and_rows(keeps_keys ? keys() : ranges{}))
                        .add("numbers", a.numbers, arcs)
                        .add("arcs", a.arcs, arcs)
                        .add("places", a.places, arcs)
                        .expect_apart();
                }
            }
}

TYPED_TEST(scratch_arrays, of_arcs_that_are_not_sorted_lie_apart_too) {
    for (std::uint64_t const arcs : {1u, 5u, 100u, 1'000u})
        for (std::uint64_t const rows : {1u, 70u, 3'000u})
            for (bool const orders : {false, true}) {
                typename TestFixture::scratch_type scratch(exec::host_space{}, nullptr);
                auto const cut = scratch.cut(&this->counts_, {.arcs = arcs,
                                                              .rows = rows,
                                                              .graph_arcs = 100,
                                                              .lists_arcs = !orders,
                                                              .keeps_keys = false,
                                                              .sorts = false,
                                                              .orders = orders,
                                                              .in_pieces = false,
                                                              .bulk = false});
                std::uint64_t const touched = std::min(arcs, rows);
                for (auto const& sorted : cut.sorted) {
                    auto const& a = orders ? sorted.a : cut.a;
                    ranges in_use;
                    in_use.add("slices", a.slices, touched);
                    if (!orders) in_use.add("listed", a.listed, touched);
                    if (orders) {
                        in_use.add("keys", sorted.s.pairs.keys, arcs);
                        if (TestFixture::has_values) in_use.add("values", sorted.s.pairs.values, arcs);
                    } else {
                        in_use.add("arcs", a.arcs, arcs);
                        ranges binning = in_use; // arcs in bins lie where numbers and places will
                        binning.add("binned", reinterpret_cast<batch::binned_arc*>(a.numbers), arcs);
                        binning.expect_apart();
                        in_use.add("numbers", a.numbers, arcs).add("places", a.places, arcs);
                    }
                    in_use.expect_apart();
                }
            }
}

TYPED_TEST(scratch_arrays, take_little_more_than_two_arrays_of_keys) {
    using arc_type = batch::slice_arc<typename TypeParam::id_type, TypeParam::has_values>;
    using key_type = typename batch::packed_keys<typename TypeParam::id_type>::key;
    constexpr std::uint64_t rows = 10'000;
    constexpr std::uint64_t sort_bytes = 2 * (sizeof(key_type) + (TypeParam::has_values ? 4 : 0));
    batch::cut_sizes sizes{.arcs = 20 * rows,
                           .rows = rows,
                           .graph_arcs = 20 * rows,
                           .lists_arcs = true,
                           .keeps_keys = false,
                           .sorts = true,
                           .orders = false,
                           .in_pieces = true,
                           .bulk = false};
    auto const each = [&] {
        return static_cast<double>(this->bytes(sizes)) / static_cast<double>(sizes.arcs);
    };
    constexpr double row_bytes = 4 + sizeof(typename TypeParam::id_type);
    EXPECT_LT(each(), sort_bytes + 0.3 + row_bytes / 20) << "a large batch";
    sizes.keeps_keys = true;
    EXPECT_LT(each(), sort_bytes + 4 + 0.3 + (row_bytes + 38) / 20) << "that needs its keys to the end";
    sizes.lists_arcs = sizes.keeps_keys = false;
    sizes.graph_arcs = 0;
    EXPECT_LT(each(), sort_bytes + 0.3) << "a graph is loaded";
    sizes.arcs = 2 * rows;
    sizes.lists_arcs = true;
    sizes.sorts = false;
    EXPECT_LT(each(), 8 + sizeof(arc_type) + 36.0 / 2 + 0.05) << "arcs are counted";
    sizes.lists_arcs = false;
    sizes.orders = true;
    sizes.arcs = 8 * rows;
    EXPECT_LT(each(), sort_bytes + 0.02) << "arcs are brought into order";
}

} // namespace
} // namespace rhizome::tests
