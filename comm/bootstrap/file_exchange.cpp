// SPDX-License-Identifier: Apache-2.0
#include <rhizome/comm/bootstrap/id_exchange.hpp>
#include <rhizome/comm/deadline.hpp>

#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace rhizome::comm {

namespace {
namespace fs = std::filesystem;

/// What the file begins with: a mark, and the number of ranks and of bytes.
struct file_head {
    std::array<char, 8> mark{'r', 'h', 'i', 'z', 'c', 'o', 'm', '1'};
    std::uint64_t ranks = 0;
    std::uint64_t bytes = 0;
};

class through_file final : public id_exchange {
public:
    explicit through_file(process_rank process) : process_(std::move(process)), path_(process_.file) {}
    ~through_file() override { finish(); } // also where the ranks could not connect

    comm_result share(std::span<std::byte> bytes, std::chrono::milliseconds limit) override {
        return process_.rank == 0 ? write(bytes) : read(bytes, limit);
    }

    void finish() noexcept final {
        std::error_code ignored;
        if (written_) fs::remove(path_, ignored);
        written_ = false;
    }

private:
    [[nodiscard]] comm_result refuse(failure kind, std::string const& why) const {
        return comm_result::failed(kind, no_rank, path_.string() + ": " + why);
    }

    comm_result write(std::span<std::byte const> bytes) {
        std::error_code error;
        if (fs::exists(path_, error))
            return refuse(failure::library, "the file exists: if no other run uses it, remove it, or set "
                                            "RHIZOME_COMM_FILE to another path");
        fs::path const aside = path_.string() + "." + std::to_string(::getpid());
        file_head const head{.ranks = static_cast<std::uint64_t>(process_.size), .bytes = bytes.size()};
        std::ofstream out(aside, std::ios::binary);
        out.write(reinterpret_cast<char const*>(&head), sizeof head);
        out.write(reinterpret_cast<char const*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
        out.close();
        if (!out) {
            fs::remove(aside, error);
            return refuse(failure::library, "cannot be written");
        }
        fs::rename(aside, path_, error);
        if (error) return refuse(failure::library, "cannot be written: " + error.message());
        written_ = true;
        return {};
    }

    comm_result read(std::span<std::byte> bytes, std::chrono::milliseconds limit) const {
        auto const deadline = deadline_after(limit);
        std::ifstream in;
        for (;;) {
            in.open(path_, std::ios::binary);
            if (in) break;
            in.clear();
            if (std::chrono::steady_clock::now() >= deadline)
                return comm_result::failed(failure::timed_out, 0,
                                           path_.string() + ": rank 0 wrote no such file within " +
                                               std::to_string(limit.count()) + " ms");
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        }
        file_head head;
        file_head const expected{.ranks = static_cast<std::uint64_t>(process_.size), .bytes = bytes.size()};
        in.read(reinterpret_cast<char*>(&head), sizeof head);
        if (!in || head.mark != expected.mark)
            return refuse(failure::library, "is not a file of Rhizome's rank 0");
        if (head.ranks != expected.ranks || head.bytes != expected.bytes)
            return refuse(failure::library, "is of a run with " + std::to_string(head.ranks) +
                                                " ranks, not " + std::to_string(expected.ranks));
        in.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
        if (!in) return refuse(failure::library, "ends too early");
        return {};
    }

    process_rank process_;
    fs::path path_;
    bool written_ = false;
};

class alone final : public id_exchange {
    comm_result share(std::span<std::byte>, std::chrono::milliseconds) override { return {}; }
};
} // namespace

std::unique_ptr<id_exchange> file_exchange(process_rank const& process) {
    return std::make_unique<through_file>(process);
}

std::unique_ptr<id_exchange> exchange_for(process_rank const& process) {
    if (process.size == 1) return std::make_unique<alone>();
    return process.file.empty() ? tcp_exchange(process) : file_exchange(process);
}

} // namespace rhizome::comm
