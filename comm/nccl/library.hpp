// SPDX-License-Identifier: Apache-2.0
// NCCL's functions, taken from its library at run time, so that the same program starts where there is none.
#pragma once

#include <nccl.h>

#include <memory>
#include <string>

namespace rhizome::comm::detail {

/// The functions of NCCL that Rhizome calls. A library that was loaded stays loaded: it may have started
/// threads.
class nccl_library {
public:
    /// Loads the file that RHIZOME_NCCL_LIBRARY names, or else libnccl.so.2 as the system finds it. Throws
    /// comm_error, with one line that says what is missing, if there is no library, a function is missing, or
    /// it is older than 2.18.
    nccl_library();
    nccl_library(nccl_library const&) = delete;
    nccl_library& operator=(nccl_library const&) = delete;

    /// One instance for the process. Throws as the constructor, at each call.
    [[nodiscard]] static std::shared_ptr<nccl_library const> shared();

    /// As NCCL_VERSION() makes it, for example 22809.
    [[nodiscard]] int version_code() const { return version_code_; }
    /// For example "2.28.9".
    [[nodiscard]] std::string version() const;

    decltype(&::ncclGetVersion) get_version = nullptr;
    decltype(&::ncclGetUniqueId) get_unique_id = nullptr;
    decltype(&::ncclCommInitRankConfig) comm_init_rank_config = nullptr;
    decltype(&::ncclCommSplit) comm_split = nullptr;
    decltype(&::ncclCommGetAsyncError) comm_get_async_error = nullptr;
    decltype(&::ncclCommFinalize) comm_finalize = nullptr;
    decltype(&::ncclCommDestroy) comm_destroy = nullptr;
    decltype(&::ncclCommAbort) comm_abort = nullptr;
    decltype(&::ncclGetErrorString) get_error_string = nullptr;
    decltype(&::ncclGetLastError) get_last_error = nullptr;
    decltype(&::ncclGroupStart) group_start = nullptr;
    decltype(&::ncclGroupEnd) group_end = nullptr;
    decltype(&::ncclSend) send = nullptr;
    decltype(&::ncclRecv) recv = nullptr;
    decltype(&::ncclAllGather) all_gather = nullptr;
    decltype(&::ncclAllReduce) all_reduce = nullptr;
    decltype(&::ncclBroadcast) broadcast = nullptr;

private:
    std::string path_;
    void* handle_ = nullptr;
    int version_code_ = 0;
};

} // namespace rhizome::comm::detail
