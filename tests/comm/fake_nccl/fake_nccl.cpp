// SPDX-License-Identifier: Apache-2.0
// A stand-in for libnccl.so.2: ranks are threads of one process, and arrays lie in host memory. It lets the
// backend `nccl` run on machines without a GPU, and fails on request. Calls are carried out while a rank asks
// for the state of its communicator. Only what the backend calls is here.
#include "fake_nccl.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace {

struct operation {
    enum { send, receive, gather, reduce, broadcast } kind;
    void const* from;
    void* to;
    std::size_t count;
    int peer; ///< or root
    ncclDataType_t type;
    ncclRedOp_t how;
    bool done = false;
};
using shared_operation = std::shared_ptr<operation>;

/// Ranks with one id. A send waits for its receive, and a collective for those of the other ranks.
struct clique {
    int ranks = 0;
    int joined = 0;
    std::set<std::pair<int, int>> connected; ///< pairs between which a message was carried out
    std::shared_ptr<clique> split;           ///< what ncclCommSplit has made of it
    std::map<std::pair<int, int>, std::deque<shared_operation>> sends, receives; ///< by sender and receiver
    std::vector<std::deque<shared_operation>> collectives;                       ///< by rank
};

std::mutex mutex; // of everything below
std::map<std::string, std::shared_ptr<clique>> cliques;
std::uint64_t ids = 0;
fake_nccl_plan plan;
fake_nccl_counts counts;

std::size_t bytes_of(ncclDataType_t type) {
    return type == ncclUint8 ? 1 : type == ncclUint32 || type == ncclInt32 || type == ncclFloat32 ? 4 : 8;
}

template <class T>
void combine(void* total, void const* values, std::size_t count, ncclRedOp_t how) {
    auto* a = static_cast<T*>(total);
    auto const* b = static_cast<T const*>(values);
    for (std::size_t i = 0; i < count; ++i)
        a[i] = how == ncclSum   ? static_cast<T>(a[i] + b[i])
               : how == ncclMin ? std::min(a[i], b[i])
                                : std::max(a[i], b[i]);
}
void combine(ncclDataType_t type, void* total, void const* values, std::size_t count, ncclRedOp_t how) {
    switch (type) {
    case ncclUint32:
        return combine<std::uint32_t>(total, values, count, how);
    case ncclUint64:
        return combine<std::uint64_t>(total, values, count, how);
    case ncclInt32:
        return combine<std::int32_t>(total, values, count, how);
    case ncclInt64:
        return combine<std::int64_t>(total, values, count, how);
    case ncclFloat32:
        return combine<float>(total, values, count, how);
    default:
        return combine<double>(total, values, count, how);
    }
}

void carry_out(std::vector<shared_operation> const& of) {
    operation const& first = *of.front();
    std::size_t const bytes = first.count * bytes_of(first.type);
    std::vector<char> result;
    auto const append = [&](void const* from) {
        result.insert(result.end(), static_cast<char const*>(from), static_cast<char const*>(from) + bytes);
    };
    if (first.kind == operation::gather)
        for (auto const& each : of)
            append(each->from);
    if (first.kind == operation::broadcast) append(of[static_cast<std::size_t>(first.peer)]->from);
    if (first.kind == operation::reduce) {
        append(first.from);
        for (std::size_t rank = 1; rank < of.size(); ++rank)
            combine(first.type, result.data(), of[rank]->from, first.count, first.how);
    }
    for (auto const& each : of) {
        std::memcpy(each->to, result.data(), result.size());
        each->done = true;
    }
}

/// Does what all ranks that it concerns have asked for.
void advance(clique& all) {
    for (auto& [pair, sends] : all.sends)
        for (auto& receives = all.receives[pair]; !sends.empty() && !receives.empty();
             sends.pop_front(), receives.pop_front()) {
            std::memcpy(receives.front()->to, sends.front()->from,
                        receives.front()->count * bytes_of(receives.front()->type));
            sends.front()->done = receives.front()->done = true;
            all.connected.insert(pair);
        }
    while (std::none_of(all.collectives.begin(), all.collectives.end(),
                        [](auto const& of) { return of.empty(); })) {
        std::vector<shared_operation> together;
        for (auto& of : all.collectives) {
            together.push_back(of.front());
            of.pop_front();
        }
        carry_out(together);
    }
}

} // namespace

struct ncclComm {
    std::shared_ptr<clique> all;
    int rank;
    bool blocking = false;
    bool shares = false;        ///< its connections, with what it is split into
    ncclComm_t* made = nullptr; ///< where ncclCommSplit, which is not done, writes what it makes
    ncclResult_t error = ncclSuccess;
    std::vector<shared_operation> given{}; ///< that may not be done
};

namespace {
thread_local int depth = 0;
thread_local bool group_blocks = false;

/// Writes what ncclCommSplit makes: as NCCL's thread does, later than the call.
void finish_split(ncclComm& comm) {
    if (comm.made != nullptr)
        *std::exchange(comm.made, nullptr) = new ncclComm{comm.all->split, comm.rank, true};
}

ncclResult_t give(ncclComm_t comm, operation const& what) {
    std::lock_guard const lock(mutex);
    if (depth == 0) return ncclInvalidUsage; // the backend makes all calls in groups
    ++counts.calls;
    if (plan.refused_rank == comm->rank) return plan.refusal;
    // A blocking call waits for a rank that it has no connection to, for ever if that rank is gone.
    if (comm->blocking && (what.kind != operation::send && what.kind != operation::receive))
        return ncclInvalidUsage;
    auto const pair =
        what.kind == operation::send ? std::pair(comm->rank, what.peer) : std::pair(what.peer, comm->rank);
    if (comm->blocking && !comm->all->connected.contains(pair)) return ncclInvalidUsage;
    group_blocks = comm->blocking;
    auto const& shared = comm->given.emplace_back(std::make_shared<operation>(what));
    clique& all = *comm->all;
    if (what.kind == operation::send)
        all.sends[{comm->rank, what.peer}].push_back(shared);
    else if (what.kind == operation::receive)
        all.receives[{what.peer, comm->rank}].push_back(shared);
    else
        all.collectives[static_cast<std::size_t>(comm->rank)].push_back(shared);
    return ncclSuccess;
}
} // namespace

extern "C" {

void fake_nccl_set(fake_nccl_plan const* wanted) {
    std::lock_guard const lock(mutex);
    plan = *wanted;
    counts = {};
    cliques.clear();
}
void fake_nccl_read(fake_nccl_counts* found) {
    std::lock_guard const lock(mutex);
    *found = counts;
}

ncclResult_t ncclGetVersion(int* version) {
    *version = 22809;
    return ncclSuccess;
}
ncclResult_t ncclGetUniqueId(ncclUniqueId* id) {
    std::lock_guard const lock(mutex);
    std::memset(id, 0, sizeof *id);
    std::uint64_t const number = ++ids;
    std::memcpy(id->internal, &number, sizeof number);
    return plan.refuse_id ? ncclSystemError : ncclSuccess;
}
ncclResult_t ncclCommInitRankConfig(ncclComm_t* comm, int ranks, ncclUniqueId id, int rank,
                                    ncclConfig_t* config) {
    std::lock_guard const lock(mutex);
    if (config->blocking != 0 || config->magic != 0xcafebeef) return ncclInvalidArgument;
    auto& all = cliques[std::string(id.internal, sizeof id.internal)];
    if (all == nullptr) all = std::make_shared<clique>();
    all->ranks = ranks;
    all->collectives.resize(static_cast<std::size_t>(ranks));
    ++all->joined;
    ++counts.made;
    *comm = new ncclComm{all, rank};
    (*comm)->shares = config->splitShare == 1;
    return ncclInProgress;
}
ncclResult_t ncclCommSplit(ncclComm_t comm, int color, int key, ncclComm_t* made, ncclConfig_t* config) {
    std::lock_guard const lock(mutex);
    // The backend makes a blocking communicator of the same ranks.
    if (config->blocking != 1 || color != 0 || key != comm->rank) return ncclInvalidArgument;
    if (plan.refused_split_rank == comm->rank) return plan.refusal;
    auto& all = comm->all->split;
    if (all == nullptr) all = std::make_shared<clique>();
    all->ranks = comm->all->ranks;
    all->collectives.resize(static_cast<std::size_t>(all->ranks));
    if (comm->shares) all->connected = comm->all->connected; // the parent decides that
    ++all->joined;
    ++counts.split;
    comm->made = made;
    return ncclInProgress;
}
ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t* state) {
    std::lock_guard const lock(mutex);
    clique& all = *comm->all;
    if (plan.failed_rank == comm->rank) comm->error = plan.failure;
    if (comm->error != ncclSuccess) {
        *state = comm->error;
        return ncclSuccess;
    }
    bool const all_are_here =
        all.joined == all.ranks && (comm->made == nullptr || all.split->joined == all.ranks);
    if (all_are_here) finish_split(*comm);
    if (all.joined == all.ranks) advance(all);
    std::erase_if(comm->given, [](auto const& each) { return each->done; });
    *state = all_are_here && comm->given.empty() ? ncclSuccess : ncclInProgress;
    return ncclSuccess;
}
ncclResult_t ncclCommFinalize(ncclComm_t) {
    std::lock_guard const lock(mutex);
    ++counts.finalized;
    return ncclSuccess;
}
ncclResult_t ncclCommDestroy(ncclComm_t comm) {
    std::lock_guard const lock(mutex);
    ++counts.destroyed;
    delete comm;
    return ncclSuccess;
}
ncclResult_t ncclCommAbort(ncclComm_t comm) {
    std::lock_guard const lock(mutex);
    finish_split(*comm); // NCCL waits for its thread, which writes also what it has not completed
    ++counts.aborted;
    delete comm;
    return ncclSuccess;
}
char const* ncclGetErrorString(ncclResult_t result) {
    return result == ncclRemoteError ? "remote process exited or there was a network error"
                                     : "unhandled system error";
}
char const* ncclGetLastError(ncclComm_t) { return "connection closed by peer"; }

ncclResult_t ncclGroupStart() {
    ++depth;
    return ncclSuccess;
}
ncclResult_t ncclGroupEnd() {
    if (depth == 0) return ncclInvalidUsage;
    --depth;
    return std::exchange(group_blocks, false) ? ncclSuccess : ncclInProgress;
}
ncclResult_t ncclSend(void const* from, size_t count, ncclDataType_t type, int peer, ncclComm_t comm,
                      cudaStream_t) {
    return give(comm, {operation::send, from, nullptr, count, peer, type, ncclSum});
}
ncclResult_t ncclRecv(void* to, size_t count, ncclDataType_t type, int peer, ncclComm_t comm, cudaStream_t) {
    return give(comm, {operation::receive, nullptr, to, count, peer, type, ncclSum});
}
ncclResult_t ncclAllGather(void const* from, void* to, size_t count, ncclDataType_t type, ncclComm_t comm,
                           cudaStream_t) {
    return give(comm, {operation::gather, from, to, count, 0, type, ncclSum});
}
ncclResult_t ncclAllReduce(void const* from, void* to, size_t count, ncclDataType_t type, ncclRedOp_t how,
                           ncclComm_t comm, cudaStream_t) {
    return give(comm, {operation::reduce, from, to, count, 0, type, how});
}
ncclResult_t ncclBroadcast(void const* from, void* to, size_t count, ncclDataType_t type, int root,
                           ncclComm_t comm, cudaStream_t) {
    return give(comm, {operation::broadcast, from, to, count, root, type, ncclSum});
}

} // extern "C"
