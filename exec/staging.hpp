// Places in a space that the host fills while the space works on what it was given before.
#pragma once

#include <rhizome/exec/copy_lane.hpp>
#include <rhizome/exec/workspace.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace rhizome::exec {

/// Two places, so that one is filled while the other is read. Each goes through open, put (as often as
/// needed), close, use, used, and open again; or is opened again before it was used. Different places may be
/// filled and used at the same time, by two threads if the space is not the emulator. Move-only. Takes no
/// memory before it is used, and then only where a place has to hold more than it ever has.
template <class Space>
class staging {
public:
    static constexpr std::size_t places = 2;

    explicit staging(Space space) : places_{place(space), place(space)}, lane_(std::move(space)) {}

    /// Room for `bytes` in a place. Throws out_of_memory; what the place held is gone then. Waits for the
    /// copies given so far where the place has to grow, and otherwise not.
    void open(std::size_t number, std::uint64_t bytes) {
        place& opened = places_[number];
        if (bytes > opened.memory.held_bytes()) lane_.synchronize();
        static_cast<void>(opened.memory.at_least(bytes));
        lane_.copies_await(opened.read);
    }
    /// `bytes` to byte `at` of an open place; `from` may be reused on return.
    void put(std::size_t number, std::uint64_t at, void const* from, std::uint64_t bytes) {
        lane_.copy(data(number) + at, from, bytes);
    }
    void close(std::size_t number) { lane_.record_copies(places_[number].copied); }

    /// Work given to the space from now on finds what was put, at this address.
    [[nodiscard]] std::byte* use(std::size_t number) {
        lane_.work_awaits(places_[number].copied);
        return data(number);
    }
    /// Work given to the space from now on reads the place no more.
    void used(std::size_t number) { lane_.record_work(places_[number].read); }

    /// Gives a place's memory back; false where it has none. Precondition: the place is not in use.
    bool give_back(std::size_t number) {
        if (places_[number].memory.held_bytes() == 0) return false;
        lane_.synchronize();
        places_[number].memory.give_back();
        return true;
    }

    /// For copies that need no place here.
    [[nodiscard]] copy_lane<Space>& lane() { return lane_; }
    [[nodiscard]] std::uint64_t held_bytes() const {
        return places_[0].memory.held_bytes() + places_[1].memory.held_bytes();
    }

private:
    using point = typename copy_lane<Space>::point;
    struct place {
        explicit place(Space space) : memory(std::move(space)) {}
        workspace<Space> memory;
        point copied; ///< what was put is there
        point read;   ///< whoever read it has done so
    };

    [[nodiscard]] std::byte* data(std::size_t number) {
        return static_cast<std::byte*>(places_[number].memory.at_least(0));
    }

    std::array<place, places> places_;
    copy_lane<Space> lane_; ///< goes first: it waits for copies into the places
};

} // namespace rhizome::exec
