// SPDX-License-Identifier: Apache-2.0
#include "place_on.hpp"

#include <rhizome/exec/errors.hpp>
#include <rhizome/exec/host.hpp>

#include <cstdlib>
#include <cstring>

namespace rhizome::python {
namespace {

class on_host final : public place_on<exec::host_space> {
public:
    using place_on::place_on;

    [[nodiscard]] bool is_device() const override { return false; }
    [[nodiscard]] int device() const override { return 0; }
    [[nodiscard]] std::string name() const override { return "cpu"; }
    [[nodiscard]] std::uintptr_t stream() const override { return 0; }
    void wait_for_stream(std::uintptr_t) override {}
    void let_stream_wait(std::uintptr_t) override {}
    void synchronize_device() override {}

    [[nodiscard]] void* allocate(std::uint64_t bytes) override {
        void* const memory = std::malloc(std::max<std::uint64_t>(bytes, 1));
        if (memory == nullptr) throw exec::out_of_memory("a result", bytes, 0);
        return memory;
    }
    void free(void* memory, std::vector<std::uintptr_t> const&, bool) override { std::free(memory); }

    void gather(void* to, void const* from, std::uint64_t count, std::uint64_t element_bytes,
                std::int64_t stride_bytes) override {
        for (std::uint64_t i = 0; i < count; ++i)
            std::memcpy(static_cast<char*>(to) + i * element_bytes,
                        static_cast<char const*>(from) + static_cast<std::int64_t>(i) * stride_bytes,
                        element_bytes);
    }
    [[nodiscard]] int device_of(void const*) const override { return -1; }
};

} // namespace

std::shared_ptr<place> host_place(unsigned threads, std::uint64_t memory_limit_bytes) {
    return std::make_shared<on_host>(
        exec::host_space({.threads = threads, .memory_limit_bytes = memory_limit_bytes}));
}

} // namespace rhizome::python
