// SPDX-License-Identifier: Apache-2.0
#include <rhizome/exec/errors.hpp>
#include <rhizome/exec/simt/fiber.hpp>
#include <rhizome/exec/simt/sanitizer.hpp>

#include <boost/context/detail/fcontext.hpp>
#include <sys/mman.h>
#include <unistd.h>

namespace rhizome::exec::emulator {

namespace context = boost::context::detail;

struct fiber::arrival {
    /// Called first on a fiber that was switched to: stores the context of the previous fiber.
    RZ_NOT_BY_THREAD_SANITIZER static void note([[maybe_unused]] fiber& self, context::transfer_t transfer) {
        fiber& before = *static_cast<fiber*>(transfer.data);
        before.context_ = transfer.fctx;
#if RZ_ADDRESS_SANITIZER
        __sanitizer_finish_switch_fiber(self.fake_stack_, &before.stack_bottom_, &before.stack_bytes_);
#endif
    }

    /// The bottom function of every fiber: runs one body after another.
    RZ_NOT_BY_THREAD_SANITIZER static void run(context::transfer_t transfer) {
        // The first switch passes the previous fiber, which names the fiber that runs here.
        fiber& self = *entering_;
        note(self, transfer);
        for (;;) {
            fiber& next = self.run_(self.argument_);
            self.switch_to(next);
        }
    }

    static thread_local fiber* entering_;
};

thread_local fiber* fiber::arrival::entering_ = nullptr;

fiber::fiber() {
#if RZ_THREAD_SANITIZER
    thread_sanitizer_ = __tsan_get_current_fiber();
#endif
}

fiber::fiber(std::size_t stack_bytes) {
    std::size_t const page_bytes = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    mapping_bytes_ = (stack_bytes + page_bytes - 1) / page_bytes * page_bytes + page_bytes;
    mapping_ = ::mmap(nullptr, mapping_bytes_, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (mapping_ == MAP_FAILED) throw out_of_memory("emulator stack", mapping_bytes_, 0);
    ::mprotect(mapping_, page_bytes, PROT_NONE); // a guard; without one the emulator still works
    stack_bytes_ = mapping_bytes_ - page_bytes;
    stack_bottom_ = static_cast<char*>(mapping_) + page_bytes;
    context_ =
        context::make_fcontext(static_cast<char*>(mapping_) + mapping_bytes_, stack_bytes_, arrival::run);
#if RZ_THREAD_SANITIZER
    thread_sanitizer_ = __tsan_create_fiber(0);
#endif
}

fiber::~fiber() {
    if (mapping_ == nullptr) return;
#if RZ_THREAD_SANITIZER
    __tsan_destroy_fiber(thread_sanitizer_);
#endif
#if RZ_ADDRESS_SANITIZER
    // A later mapping at this address must not inherit the poison of abandoned frames.
    __asan_unpoison_memory_region(stack_bottom_, stack_bytes_);
#endif
    ::munmap(mapping_, mapping_bytes_);
}

RZ_NOT_BY_THREAD_SANITIZER void fiber::switch_to(fiber& next) {
    void* const context = next.context_;
    arrival::entering_ = &next;
#if RZ_ADDRESS_SANITIZER
    __sanitizer_start_switch_fiber(&fake_stack_, next.stack_bottom_, next.stack_bytes_);
#endif
#if RZ_THREAD_SANITIZER
    __tsan_switch_to_fiber(next.thread_sanitizer_, __tsan_switch_to_fiber_no_sync);
#endif
    arrival::note(*this, context::jump_fcontext(context, this));
}

} // namespace rhizome::exec::emulator
