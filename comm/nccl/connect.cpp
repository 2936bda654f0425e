// SPDX-License-Identifier: Apache-2.0
#include <rhizome/comm/nccl/nccl.hpp>

#if defined(RHIZOME_HAS_NCCL)
#include <rhizome/comm/nccl/cuda_peers.hpp>
#include <rhizome/comm/nccl/nccl_communicator.hpp>
#include <rhizome/exec/cuda/device_guard.hpp>
#include <rhizome/exec/cuda/event.hpp>
#endif

#include <exception>
#include <utility>

namespace rhizome::comm {

#if defined(RHIZOME_HAS_NCCL)
namespace detail {
template <>
struct nccl_access<exec::cuda_space> {
    struct guard : exec::device_guard {
        explicit guard(exec::cuda_space const& space) : device_guard(space.device()) {}
    };
    [[nodiscard]] static cudaStream_t stream(exec::cuda_space const& space) { return space.stream(); }
    using peers = cuda_peers;
};
} // namespace detail

std::string nccl_unusable_because() {
    try {
        static_cast<void>(detail::nccl_library::shared());
        return "";
    } catch (std::exception const& error) {
        return error.what();
    }
}

std::string nccl_version() {
    return nccl_unusable_because().empty() ? detail::nccl_library::shared()->version() : "";
}

std::unique_ptr<communicator<exec::cuda_space>> connect_nccl(exec::cuda_space space,
                                                             process_rank const& process,
                                                             id_exchange& exchange,
                                                             comm_options const& options) {
    return std::make_unique<detail::nccl_communicator<exec::cuda_space>>(
        detail::nccl_library::shared(), std::move(space), process, exchange, options);
}
#else
std::string nccl_unusable_because() {
    return "NCCL cannot be used: Rhizome was compiled without nccl.h (CMake looks for it in NCCL_ROOT)";
}

std::string nccl_version() { return ""; }

std::unique_ptr<communicator<exec::cuda_space>> connect_nccl(exec::cuda_space, process_rank const&,
                                                             id_exchange&, comm_options const&) {
    throw comm_error(comm_result::failed(failure::library, no_rank, nccl_unusable_because()));
}
#endif

std::unique_ptr<communicator<exec::cuda_space>> connect_nccl(exec::cuda_options device,
                                                             comm_options const& options) {
    process_rank const process = rank_from_environment();
    device.device = process.local_rank;
    std::unique_ptr<id_exchange> const exchange = exchange_for(process);
    return connect_nccl(exec::cuda_space(device), process, *exchange, options);
}

} // namespace rhizome::comm
