// SPDX-License-Identifier: Apache-2.0
// A batch that begins on any ranks, brought to the ranks that own its rows.
#pragma once

#include <rhizome/comm/communicator.hpp>
#include <rhizome/comm/shown_memory.hpp>
#include <rhizome/graph/batch/packed_arcs.hpp>
#include <rhizome/graph/partition/arc_transport.hpp>
#include <rhizome/graph/partition/arrival_room.hpp>
#include <rhizome/graph/partition/routing.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <memory>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rhizome::graph {

/// Another rank refused a call that all make, for example for lack of memory, which throws its own exception
/// there. No rank has changed anything, and all can go on.
class refused_by_rank : public std::runtime_error {
public:
    /// `why`: what the exception of the rank says, or "" if that is not known.
    explicit refused_by_rank(int rank, std::string const& why = "")
        : std::runtime_error("refused on all ranks, nothing changed: rank " + std::to_string(rank) +
                             " refused it" + (why.empty() ? "" : ": " + why)),
          rank_(rank) {}
    /// The lowest rank that refused.
    [[nodiscard]] int rank() const { return rank_; }

private:
    int rank_;
};

namespace detail {

/// Of what a refusing rank says, so much is told to the others.
inline constexpr std::size_t most_refusal_bytes = 1000;

/// Returns what rank `rank` says, or "" if ranks cannot communicate. `refusals`: for each rank, 1 + the bytes
/// of its text, or 0. All ranks call it.
template <class Space>
[[nodiscard]] std::string tell_refusal(comm::communicator<Space>& self, std::string const& mine,
                                       std::size_t rank, std::vector<std::uint64_t> const& refusals) {
    constexpr std::size_t word = sizeof(std::uint64_t);
    std::size_t const words = *std::max_element(refusals.begin(), refusals.end()) / word + 1;
    std::vector<std::uint64_t> told(words, 0);
    std::memcpy(told.data(), mine.data(), mine.size());
    std::vector<std::uint64_t> all(words * refusals.size());
    if (!self.gather_words(told, all).ok()) return {};
    return {reinterpret_cast<char const*>(all.data() + rank * words), refusals[rank] - 1};
}

} // namespace detail

/// Runs `step` on every rank and returns what each rank's step has returned: the same number of words from
/// each, in the order of the ranks. If the step throws on any rank, the call throws on all: the same
/// exception on that rank, refused_by_rank with its text on the others. Throws comm::comm_error if ranks
/// cannot communicate. One exchange of words, and another one if a step throws.
template <class Space, class Step>
[[nodiscard]] std::vector<std::uint64_t> all_or_none(comm::communicator<Space>& self, std::size_t words,
                                                     Step const& step) {
    std::vector<std::uint64_t> mine(words + 1, 0); // the first: 0, or 1 + the bytes of what the step threw
    std::exception_ptr thrown;
    std::string why;
    try {
        std::vector<std::uint64_t> const result = step();
        if (result.size() != words)
            throw std::logic_error("all_or_none: a step returned another number of words");
        std::copy(result.begin(), result.end(), mine.begin() + 1);
    } catch (std::exception const& error) {
        thrown = std::current_exception();
        why = std::string_view(error.what()).substr(0, detail::most_refusal_bytes);
        mine.assign(words + 1, 0);
        mine[0] = 1 + why.size();
    }
    auto const ranks = static_cast<std::size_t>(self.size());
    std::vector<std::uint64_t> gathered(mine.size() * ranks);
    comm::comm_result const result = self.gather_words(mine, gathered);
    if (thrown != nullptr && !result.ok()) std::rethrow_exception(thrown);
    result.or_throw();
    std::vector<std::uint64_t> all;
    all.reserve(words * ranks);
    std::vector<std::uint64_t> refusals;
    for (std::size_t rank = 0; rank < ranks; ++rank) {
        auto const begin = gathered.begin() + static_cast<std::ptrdiff_t>(rank * mine.size());
        refusals.push_back(*begin);
        all.insert(all.end(), begin + 1, begin + static_cast<std::ptrdiff_t>(mine.size()));
    }
    auto const first = std::find_if(refusals.begin(), refusals.end(), [](auto each) { return each != 0; });
    if (first == refusals.end()) return all;
    auto const rank = static_cast<std::size_t>(first - refusals.begin());
    std::string const told = detail::tell_refusal(self, why, rank, refusals);
    if (thrown != nullptr) std::rethrow_exception(thrown);
    throw refused_by_rank(static_cast<int>(rank), told);
}

/// The share of a batch with which a rank begins, in memory that kernels of its space can read.
template <class Id, class Value>
struct batch_share {
    basic_edge<Id> const* edges = nullptr;
    Value const* values = nullptr; ///< one per edge, or nullptr
    std::uint64_t count = 0;
};

/// The part of a batch that belongs to one rank, in the memory of its space: valid until the next exchange.
template <class Id, class Value>
struct arrived_arcs {
    routed_arc<Id>* arcs = nullptr;
    Value const* values = nullptr; ///< nullptr without values
    std::uint64_t count = 0;
    std::uint64_t edges = 0;      ///< of the whole batch
    std::uint64_t rejected = 0;   ///< of these, edges with an end that is no vertex
    std::uint64_t self_loops = 0; ///< of these, edges that are refused as self-loops
    batch::arc_form form{};       ///< in which `arcs` lie
};

/// What a rank wants of the arcs that arrive.
template <class Id>
struct arc_wishes {
    static constexpr std::uint64_t never = ~std::uint64_t{0};

    std::uint64_t least_packed =
        never; ///< from so many arcs on, they shall come packed, if they have no values
    // The same on all ranks.
    batch::packed_keys<Id> keys{}; ///< how they are packed
    unsigned low_bits = 0;         ///< they come in the order of so many lowest bits of their targets
};

/// Brings the arcs of a batch to the ranks that own their rows. Each rank counts its arcs for each rank on
/// the device, the ranks exchange the counts, and then the arcs and the values. Further exchanges of words
/// follow the counts only if a rank has to make room for what arrives, and tells where that is: each rank
/// tells how much room it has from earlier batches, so all know. Arcs for the rank itself are written where
/// they stay. Every rank passes a share of the batch, which may be empty. Arcs arrive in the order of the
/// ranks that passed them, and of one rank in the order of its share. So if an edge has several values in one
/// batch, the last of the highest rank comes last. (Unless they shall come in the order of the lowest bits of
/// their targets: then in this order among equal bits.)
///
/// If ranks reach each other's memory (communicator::share_memory()), and there are few of them, the kernel
/// that groups the arcs writes them to the ranks that own their rows. Otherwise it writes them to scratch,
/// from which they are sent: in all batches, if that is found in one. Keeps its scratch. Move-only.
template <class Space, class Id, class Value = no_edge_value>
class arc_exchange {
public:
    static constexpr bool has_values = arc_router<Space, Id, Value>::has_values;
    static constexpr std::size_t most_placed_groups = arc_router<Space, Id, Value>::most_placed_groups;

    /// The communicator must outlive the exchange. `resource`: the source of the scratch. Without one, arcs
    /// arrive in memory of communicator::shareable_memory() where ranks may reach each other's.
    explicit arc_exchange(comm::communicator<Space>& self, exec::memory_resource* resource = nullptr)
        : self_(&self), resource_(resource),
          may_share_(self.size() > 1 && self.may_share_memory() &&
                     static_cast<std::size_t>(self.size()) <= most_placed_groups),
          room_resource_(may_share_ && resource == nullptr ? self.shareable_memory() : resource),
          router_(self.space(), resource), room_(self.space(), room_resource_),
          // Memory of a resource may lie in a pool, to which other devices have no access.
          shares_(resource == nullptr), access_(may_share_ ? access::unknown : access::by_sending),
          rooms_(self, 2 * static_cast<std::size_t>(self.size())) {}

    /// Exchanges the batch of which this rank has `count` edges. All ranks call it, with the same rules,
    /// whose owners are as many as the ranks. Edges of all ranks have values, or of none
    /// (std::invalid_argument on all ranks). Whole or not at all: if a rank has no memory for its part, it
    /// throws out_of_memory, and the others throw refused_by_rank. Throws std::length_error in the same way
    /// for more than 2^32 - 2 arcs from one rank or for one, and comm::comm_error if ranks cannot
    /// communicate. Edges and values are read in the order of the space: they must not change before that
    /// work is done.
    template <owner_policy Owners>
    [[nodiscard]] arrived_arcs<Id, Value> exchange(routing_rules<Id, Owners> const& rules,
                                                   basic_edge<Id> const* edges, Value const* values,
                                                   std::uint64_t count) {
        return exchange_placed(rules, [&] { return batch_share<Id, Value>{edges, values, count}; });
    }

    /// The same for the share that place() returns, with wishes that only ranks without values may have. If
    /// place() throws on a rank, the call throws on all, as all_or_none() does.
    template <owner_policy Owners, class Place>
    [[nodiscard]] arrived_arcs<Id, Value> exchange_placed(routing_rules<Id, Owners> const& rules,
                                                          Place const& place,
                                                          arc_wishes<Id> const& wishes = {}) {
        auto const ranks = static_cast<std::size_t>(self_->size());
        if (rules.owners.ranks() != ranks)
            throw std::invalid_argument("the vertices are divided among " +
                                        std::to_string(rules.owners.ranks()) + " ranks, but " +
                                        std::to_string(ranks) + " communicate");
        auto const self = static_cast<std::uint32_t>(self_->rank());
        unsigned const low_bits = ranks << wishes.low_bits <= most_placed_groups ? wishes.low_bits : 0;
        std::size_t const groups = ranks << low_bits;
        // Allocated before ranks rely on each other.
        std::vector<std::uint64_t> all_counts(ranks, 0); // of what each rank gets
        std::vector<group_place<Id, Value>> places(groups);
        batch_share<Id, Value> share;
        routed_counts routed;
        // Each rank tells the number of arcs of each group, three counts, whether its edges have values and
        // whether it has forgotten where the others have room, how many arcs it has room for, and from how
        // many on they shall come packed.
        std::size_t const told_by_each = groups + 6;
        std::vector<std::uint64_t> const words = all_or_none(*self_, told_by_each, [&] {
            share = place();
            routed = router_.count(rules, share.edges, share.count, low_bits);
            // Others write here next. The count of a rank without edges has not waited for work that reads
            // what arrived before.
            if (may_share_ && share.count == 0) self_->space().synchronize();
            bool const with_values = has_values && share.values != nullptr;
            if (access_ == access::by_sending)
                router_.make_room_to_send(sent_to_others(routed.arcs), with_values);
            std::vector<std::uint64_t> told = routed.arcs;
            told.push_back(routed.rejected);
            told.push_back(routed.self_loops);
            std::uint64_t const kind = share.count == 0 ? any : with_values ? with : without;
            told.push_back(access_ == access::unknown ? kind | forgotten : kind);
            told.push_back(share.count);
            told.push_back(room_.word());
            told.push_back(wishes.least_packed);
            return told;
        });
        arrived_arcs<Id, Value> arrived;
        std::uint64_t kinds = any;
        bool some_know = false; // where others have room
        for (std::size_t rank = 0; rank < ranks; ++rank) {
            auto const* const told = words.data() + rank * told_by_each;
            for (std::size_t group = 0; group < groups; ++group)
                all_counts[group % ranks] += told[group];
            arrived.rejected += told[groups];
            arrived.self_loops += told[groups + 1];
            kinds |= told[groups + 2];
            some_know = some_know || (told[groups + 2] & forgotten) == 0;
            arrived.edges += told[groups + 3];
        }
        // Also if a rank has released its scratch alone, and whether or not it gets arcs.
        if ((kinds & forgotten) != 0) access_ = access::unknown;
        if ((kinds & with) != 0 && (kinds & without) != 0)
            throw std::invalid_argument("some ranks pass edges with values, and some without");
        bool const with_values = (kinds & with) != 0;
        arrived.count = all_counts[self];
        bool all_have_room = true;
        for (std::size_t rank = 0; rank < ranks; ++rank)
            all_have_room = all_have_room && room_.suffices(words[rank * told_by_each + groups + 4],
                                                            all_counts[rank], with_values);
        if (!all_have_room) {
            if (may_share_) {
                access_ = access::unknown; // also if a rank refuses: others may have new room then
                rooms_.forget();
                // So that the old room of a rank is gone before it makes a new one.
                if (some_know) self_->barrier().or_throw();
            }
            static_cast<void>(all_or_none(*self_, 0, [&]() -> std::vector<std::uint64_t> {
                room_.make(self_->rank(), arrived.count, with_values);
                return {};
            }));
        }
        if (access_ == access::unknown) {
            share_rooms();
            if (access_ == access::by_sending)
                static_cast<void>(all_or_none(*self_, 0, [&]() -> std::vector<std::uint64_t> {
                    use_own_room();
                    room_.make(self_->rank(), arrived.count, with_values);
                    router_.make_room_to_send(sent_to_others(routed.arcs), with_values);
                    return {};
                }));
        }
        arrived.arcs = room_.arcs(arrived.count);
        Value* const arc_values = with_values ? room_.values(arrived.count) : nullptr;
        arrived.values = arc_values;
        // Where the arcs of a group go that this rank has: behind those of lower bits, and of lower ranks.
        for (std::size_t to = 0; to < ranks; ++to) {
            bool const packed = groups <= most_placed_groups && !with_values &&
                                all_counts[to] >= words[to * told_by_each + groups + 5];
            if (to == self) arrived.form = {packed, packed ? low_bits : 0};
            std::uint64_t before = 0;
            for (std::size_t group = to; group < groups; group += ranks) {
                places[group].packed = packed;
                for (std::size_t from = 0; from < ranks; ++from) {
                    if (from == self) {
                        auto* const room = to == self ? arrived.arcs : arcs_of(to);
                        if (room != nullptr) places[group].arcs = room + before;
                        auto* const value_room = to == self ? arc_values : values_of(to);
                        if (with_values && value_room != nullptr) places[group].values = value_room + before;
                    }
                    before += words[from * told_by_each + group];
                }
            }
        }
        sent_arcs<Id, Value> sent;
        try {
            sent = router_.place(rules, self, share.edges, with_values ? share.values : nullptr, places,
                                 wishes.keys);
        } catch (std::exception const& error) { // of a device that fails: the other ranks must not wait
            keep_room();
            self_->abort(error.what());
            throw;
        }
        if (ranks == 1) return arrived;
        transport_ = access_ == access::by_writing ? arc_transport::written : arc_transport::sent;
        if (access_ == access::by_writing) {
            auto const followed = self_->follow_all();
            if (!followed.ok()) keep_room();
            followed.or_throw();
            return arrived;
        }
        std::vector<std::uint64_t> send_counts(ranks);
        std::vector<std::uint64_t> counts(ranks); // from each rank
        std::uint64_t sent_before = 0;
        std::uint64_t arrived_before = 0;
        for (std::size_t first = 0; first < groups; first += ranks) {
            for (std::size_t rank = 0; rank < ranks; ++rank) {
                send_counts[rank] = rank == self ? 0 : routed.arcs[first + rank];
                counts[rank] = words[rank * told_by_each + first + self];
            }
            self_
                ->all_to_all(sent.arcs + sent_before, send_counts, arrived.arcs + arrived_before, counts,
                             comm::own_part::in_place)
                .or_throw();
            if (with_values)
                self_
                    ->all_to_all(sent.values + sent_before, send_counts, arc_values + arrived_before, counts,
                                 comm::own_part::in_place)
                    .or_throw();
            sent_before = std::accumulate(send_counts.begin(), send_counts.end(), sent_before);
            arrived_before = std::accumulate(counts.begin(), counts.end(), arrived_before);
        }
        return arrived;
    }

    /// Of the last batch. The same on all ranks.
    [[nodiscard]] arc_transport transport() const { return transport_; }
    [[nodiscard]] std::uint64_t held_bytes() const { return router_.held_bytes() + room_.held_bytes(); }
    /// Frees the scratch that routing the next batch takes again. Arcs that have arrived stay. Returns
    /// whether there was any.
    bool release_routing_scratch() {
        bool const had_some = router_.held_bytes() != 0;
        router_.release_scratch();
        return had_some;
    }
    /// Frees the scratch, arcs that have arrived included. Memory into which other ranks write is given back
    /// once these have released theirs, too, or have made room for a later batch. Not collective: after it,
    /// all ranks tell each other anew where their rooms are.
    void release_scratch() {
        router_.release_scratch();
        rooms_.forget();
        if (access_ == access::by_writing) access_ = access::unknown;
        room_.give_back();
    }

private:
    // Whether the edges of a rank have values. A rank without edges does not decide it.
    static constexpr std::uint64_t any = 0;
    static constexpr std::uint64_t with = 1;
    static constexpr std::uint64_t without = 2;
    static constexpr std::uint64_t forgotten = 4; ///< a bit besides: access::unknown

    /// How arcs get to other ranks. The same on all ranks in a batch, once all have told whether they know.
    enum class access : std::uint8_t {
        unknown,    ///< a rank may have allocated or freed such memory since ranks last told where it is
        by_writing, ///< kernels write them into the memory where the owner receives arcs
        by_sending, ///< an all_to_all brings them
    };

    [[nodiscard]] std::uint64_t sent_to_others(std::vector<std::uint64_t> const& of_groups) const {
        auto const ranks = static_cast<std::size_t>(self_->size());
        std::uint64_t sent = 0;
        for (std::size_t group = 0; group < of_groups.size(); ++group)
            sent += group % ranks == static_cast<std::size_t>(self_->rank()) ? 0 : of_groups[group];
        return sent;
    }

    /// All ranks tell where their rooms are. If one does not reach all others, all send from now on.
    void share_rooms() {
        auto const ranks = static_cast<std::size_t>(self_->size());
        access_ = access::by_writing;
        if (ranks == 1) return;
        std::span<void*> const all = rooms_.all();
        auto const share = [&](void* mine, std::span<void*> places) {
            auto const shared = self_->share_memory(mine, shares_, places);
            shared.result.or_throw();
            if (!shared.value) access_ = access::by_sending;
        };
        share(room_.arcs(0), all.first(ranks));
        if (has_values && access_ == access::by_writing) share(room_.values(0), all.last(ranks));
        if (access_ == access::by_writing) return;
        may_share_ = false;
        rooms_.forget();
    }
    /// Arcs arrive in ordinary memory from now on: NCCL may send from one GPU straight to another one, to
    /// which shareable memory is not mapped.
    void use_own_room() {
        if (room_resource_ == resource_) return;
        room_resource_ = resource_;
        room_ = arrival_room<Space, Id, Value>(self_->space(), resource_);
    }
    /// A call has failed, and other ranks may still be writing arcs here.
    void keep_room() {
        if (access_ == access::by_writing)
            self_->keep(std::make_shared<arrival_room<Space, Id, Value>>(std::move(room_)));
    }
    [[nodiscard]] routed_arc<Id>* arcs_of(std::size_t rank) {
        return access_ == access::by_writing ? static_cast<routed_arc<Id>*>(rooms_.all()[rank]) : nullptr;
    }
    [[nodiscard]] Value* values_of(std::size_t rank) {
        std::size_t const first = static_cast<std::size_t>(self_->size());
        return access_ == access::by_writing ? static_cast<Value*>(rooms_.all()[first + rank]) : nullptr;
    }

    comm::communicator<Space>* self_;
    exec::memory_resource* resource_;
    bool may_share_;                       ///< whether rooms of all ranks may be shown
    exec::memory_resource* room_resource_; ///< of room_
    arc_router<Space, Id, Value> router_;
    arrival_room<Space, Id, Value> room_;
    bool shares_; ///< whether this rank's rooms may be shown
    access access_;
    arc_transport transport_ = arc_transport::none;
    comm::shown_memory<Space> rooms_; ///< of the arcs of each rank, and then of their values
};

} // namespace rhizome::graph
