// SPDX-License-Identifier: Apache-2.0
#include <rhizome/bench/papers/ggarray/workloads.hpp>

#include <fmt/format.h>

#include <stdexcept>

namespace rhizome::bench {
namespace {

/// The sum of 0 to n - 1, as the subject computes it: modulo 2^64.
std::uint64_t sum_below(std::uint64_t n) { return n % 2 == 0 ? n / 2 * (n - 1) : n * ((n - 1) / 2); }

void require(array_subject& array, std::uint64_t size, std::uint64_t sum) {
    if (array.size() != size)
        throw std::runtime_error(fmt::format("{} elements instead of {}", array.size(), size));
    if (std::uint64_t const found = array.sum(); found != sum)
        throw std::runtime_error(fmt::format("the elements add up to {} instead of {}", found, sum));
}

} // namespace

cell_result run_doubling(open_array const& open, std::string const& structure, cell const& which,
                         bool by_index) {
    std::uint64_t const size = which.count("elements");
    measure grow{"grow", "ms", false, {}};
    measure insert{"insert", "ms", false, {}};
    measure read_write{"read_write", "ms", false, {}};
    measure read_write_by_index{"read_write_by_index", "ms", false, {}};
    measure memory{"memory", "ratio", false, {}};
    std::uint64_t const warm_up = which.count("warm-up");
    for (std::uint64_t i = 0; i < warm_up + which.count("repetitions"); ++i) {
        auto const array = open(structure, 2 * size);
        (void)array->grow_ms(size);
        (void)array->insert_ms(size, 1);
        double const grow_ms = array->grow_ms(2 * size);
        double const insert_ms = array->insert_ms(size, 1);
        double const read_write_ms = array->read_write_ms();
        double const by_index_ms = by_index ? array->read_write_by_index_ms() : 0;
        require(*array, 2 * size, 2 * sum_below(size) + (by_index ? 2 : 1) * 30 * 2 * size);
        if (i < warm_up) continue;
        grow.samples.push_back(grow_ms);
        insert.samples.push_back(insert_ms);
        read_write.samples.push_back(read_write_ms);
        read_write_by_index.samples.push_back(by_index_ms);
        memory.samples.push_back(static_cast<double>(array->capacity_bytes()) /
                                 static_cast<double>(2 * size * sizeof(std::int32_t)));
    }
    cell_result result{cell_status::ok, "", {grow, insert, read_write}};
    if (by_index) result.measures.push_back(read_write_by_index);
    result.measures.push_back(memory);
    return result;
}

cell_result run_phases(open_array const& open, std::string const& inserts_into, cell const& which) {
    constexpr std::uint64_t phases = 5;
    std::uint64_t const calls = which.count("calls");
    auto const each = static_cast<std::uint32_t>(which.count("each"));
    std::uint64_t start = which.count("elements");
    for (std::uint64_t i = 0; i < phases; ++i)
        start /= 1 + each;
    if (start == 0)
        throw std::runtime_error(
            fmt::format("five phases multiply the elements by {}^5, so --elements must be "
                        "at least that",
                        1 + each));
    std::uint64_t most = start;
    for (std::uint64_t i = 0; i < phases; ++i)
        most *= 1 + each;
    measure semi_static{"semi_static", "ms", false, {}};
    measure two_phases{"two_phases", "ms", false, {}};
    measure speedup{"speedup", "ratio", true, {}};
    std::uint64_t const warm_up = which.count("warm-up");
    for (std::uint64_t repetition = 0; repetition < warm_up + which.count("repetitions"); ++repetition) {
        double times[2] = {0, 0};
        for (bool const copies : {false, true}) {
            double& time = times[copies ? 1 : 0];
            auto const inserted = open(copies ? inserts_into : "region", most);
            auto const worked_on = copies ? open("region", most) : nullptr;
            array_subject& work = copies ? *worked_on : *inserted;
            std::uint64_t size = start;
            std::uint64_t sum = sum_below(start);
            (void)inserted->grow_ms(size);
            (void)inserted->insert_ms(start, 1);
            for (std::uint64_t phase = 0; phase < phases; ++phase) {
                // A gg_array grows in the kernel that inserts.
                if (!copies) time += inserted->grow_ms(size * (1 + each));
                time += inserted->insert_ms(size, each);
                sum += each * sum_below(size);
                size *= 1 + each;
                if (copies) time += inserted->copy_to_ms(work);
                for (std::uint64_t call = 0; call < calls; ++call)
                    time += work.add_one_ms();
                if (!copies) sum += calls * size;
            }
            require(*inserted, size, sum);
            if (copies) require(work, size, sum + calls * size);
        }
        if (repetition < warm_up) continue;
        semi_static.samples.push_back(times[0]);
        two_phases.samples.push_back(times[1]);
        speedup.samples.push_back(times[0] / times[1]);
    }
    return {cell_status::ok, "", {semi_static, two_phases, speedup}};
}

} // namespace rhizome::bench
