// SPDX-License-Identifier: Apache-2.0
#include <rhizome/comm/result.hpp>
#include <rhizome/runtime/ranks/commands.hpp>
#include <rhizome/runtime/ranks/rank_group.hpp>

namespace rhizome::runtime {
namespace {

using detail::command;
using detail::order;

/// What this rank does so that all do the same. It has no share of batches.
void take_part(any_rank& self, command const& given, std::unique_ptr<any_part>& part) {
    switch (given.what) {
    case order::open:
        part = self.open(detail::choice_of(given));
        break;
    case order::close:
        part.reset();
        break;
    case order::add_vertices:
        part->add_vertices(given.numbers[0]);
        break;
    case order::insert:
        part->insert_edges({});
        break;
    case order::erase:
        part->erase_edges({});
        break;
    case order::pagerank:
        (void)detail::run_pagerank(*part, given);
        break;
    case order::triangles:
        (void)part->count_triangles();
        break;
    case order::bfs:
        (void)part->bfs({});
        break;
    case order::components:
        (void)part->count_components();
        break;
    case order::rows:
        (void)part->rows_on_first(static_cast<int>(given.numbers[0]));
        break;
    case order::arcs: {
        std::uint64_t const mine = part->arc_count();
        (void)self.gather_words({&mine, 1});
        break;
    }
    case order::validate:
        (void)part->validate();
        break;
    case order::memory:
        (void)part->memory_of_all();
        break;
    case order::compact:
        (void)part->compact(given.numbers[0]);
        break;
    case order::release_scratch:
        part->release_scratch();
        break;
    case order::nothing:
    case order::end:
    case order::explain:
        break;
    }
}

} // namespace

void follow(any_rank& self) {
    std::unique_ptr<any_part> part;
    detail::refusal last;
    for (;;) {
        command const given = detail::tell(self, {});
        if (given.what == order::end) return;
        if (given.what == order::explain) {
            last.explain(self, static_cast<int>(given.numbers[0]));
            continue;
        }
        try {
            take_part(self, given, part);
        } catch (comm::comm_error const&) {
            throw;
        } catch (std::exception const& error) { // rank 0 learns of it by its own call
            last.keep(error);
        }
    }
}

} // namespace rhizome::runtime
