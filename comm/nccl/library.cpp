// SPDX-License-Identifier: Apache-2.0
#include <rhizome/comm/bootstrap/process_rank.hpp>
#include <rhizome/comm/nccl/library.hpp>
#include <rhizome/comm/result.hpp>

#include <dlfcn.h>

#include <mutex>
#include <type_traits>

namespace rhizome::comm::detail {

namespace {
constexpr int oldest_version = NCCL_VERSION(2, 18, 0); // with what non-blocking communicators need

[[noreturn]] void refuse(std::string const& why) {
    throw comm_error(comm_result::failed(failure::library, no_rank, "NCCL cannot be used: " + why));
}

std::string text_of(int version) {
    return std::to_string(version / 10000) + "." + std::to_string(version % 10000 / 100) + "." +
           std::to_string(version % 100);
}
} // namespace

nccl_library::nccl_library() : path_(process_environment("RHIZOME_NCCL_LIBRARY").value_or("libnccl.so.2")) {
    handle_ = ::dlopen(path_.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle_ == nullptr) {
        char const* const why = ::dlerror();
        refuse(std::string(why == nullptr ? path_ : why) +
               " (RHIZOME_NCCL_LIBRARY may name libnccl.so.2 with its folder)");
    }
    auto const take = [this](auto& function, char const* name) {
        void* const address = ::dlsym(handle_, name);
        if (address == nullptr) {
            ::dlclose(handle_);
            refuse(path_ + " has no function " + name);
        }
        function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(address);
    };
    take(get_version, "ncclGetVersion");
    if (get_version(&version_code_) != ncclSuccess || version_code_ < oldest_version) {
        ::dlclose(handle_);
        refuse(path_ + " has version " + version() + "; 2.18 or newer is needed");
    }
    take(get_unique_id, "ncclGetUniqueId");
    take(comm_init_rank_config, "ncclCommInitRankConfig");
    take(comm_split, "ncclCommSplit");
    take(comm_get_async_error, "ncclCommGetAsyncError");
    take(comm_finalize, "ncclCommFinalize");
    take(comm_destroy, "ncclCommDestroy");
    take(comm_abort, "ncclCommAbort");
    take(get_error_string, "ncclGetErrorString");
    take(get_last_error, "ncclGetLastError");
    take(group_start, "ncclGroupStart");
    take(group_end, "ncclGroupEnd");
    take(send, "ncclSend");
    take(recv, "ncclRecv");
    take(all_gather, "ncclAllGather");
    take(all_reduce, "ncclAllReduce");
    take(broadcast, "ncclBroadcast");
}

std::shared_ptr<nccl_library const> nccl_library::shared() {
    static std::mutex mutex;
    static std::shared_ptr<nccl_library const> loaded;
    std::lock_guard const lock(mutex);
    if (loaded == nullptr) loaded = std::make_shared<nccl_library const>();
    return loaded;
}

std::string nccl_library::version() const { return text_of(version_code_); }

} // namespace rhizome::comm::detail
