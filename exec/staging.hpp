// SPDX-License-Identifier: Apache-2.0
// Buffers in a space that the host fills while the space works on earlier data.
#pragma once

#include <rhizome/exec/copy_lane.hpp>
#include <rhizome/exec/workspace.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace rhizome::exec {

/// Two buffers (places): the host fills one while the space reads the other. Each goes through open, put (as
/// often as needed), close, use, used, and open again; or is opened again before it was used. Different
/// places may be filled and used at the same time, by two threads unless the space is the emulator.
/// Move-only. A place takes no memory before its first use, and then only when it has to hold more than ever
/// before.
template <class Space>
class staging {
public:
    static constexpr std::size_t places = 2;

    explicit staging(Space space) : places_{place(space), place(space)}, lane_(std::move(space)) {}

    /// Makes room for `bytes` in a place. Throws out_of_memory; the old contents of the place are lost then.
    /// Waits for the copies given so far only if the place has to grow.
    void open(std::size_t number, std::uint64_t bytes) {
        place& opened = places_[number];
        if (bytes > opened.memory.held_bytes()) lane_.synchronize();
        static_cast<void>(opened.memory.at_least(bytes));
        lane_.copies_await(opened.read);
    }
    /// Copies `bytes` to byte `at` of an open place; the caller may reuse `from` on return.
    void put(std::size_t number, std::uint64_t at, void const* from, std::uint64_t bytes) {
        lane_.copy(data(number) + at, from, bytes);
    }
    /// The same for data that `write` makes, as copy_lane::copy_written(). `at` is a multiple of 256.
    void put_written(std::size_t number, std::uint64_t at, std::uint64_t bytes, part_writer const& write) {
        lane_.copy_written(data(number) + at, bytes, write);
    }
    /// Ends the filling of a place. use() orders work of the space after the copies put so far.
    void close(std::size_t number) { lane_.record_copies(places_[number].copied); }

    /// Orders later work of the space after the copies into a closed place. Returns the address of the data.
    [[nodiscard]] std::byte* use(std::size_t number) {
        lane_.work_awaits(places_[number].copied);
        return data(number);
    }
    /// Ends the use of a place: the caller promises that work given from now on does not read it. The next
    /// copies into the place wait for the work given so far.
    void used(std::size_t number) { lane_.record_work(places_[number].read); }

    /// Frees the memory of a place; false if it has none. Precondition: the place is not in use.
    bool give_back(std::size_t number) {
        if (places_[number].memory.held_bytes() == 0) return false;
        lane_.synchronize();
        places_[number].memory.give_back();
        return true;
    }

    /// The copy lane, for copies that need no place here.
    [[nodiscard]] copy_lane<Space>& lane() { return lane_; }
    /// The bytes of a place. Not to be called while another thread opens it or gives it back.
    [[nodiscard]] std::uint64_t held_bytes(std::size_t number) const {
        return places_[number].memory.held_bytes();
    }

private:
    using point = typename copy_lane<Space>::point;
    struct place {
        explicit place(Space space) : memory(std::move(space)) {}
        workspace<Space> memory;
        point copied; ///< all put data has arrived
        point read;   ///< all readers are done
    };

    [[nodiscard]] std::byte* data(std::size_t number) {
        return static_cast<std::byte*>(places_[number].memory.at_least(0));
    }

    std::array<place, places> places_;
    copy_lane<Space> lane_; ///< destroyed first: it waits for copies into the places
};

} // namespace rhizome::exec
