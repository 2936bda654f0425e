// SPDX-License-Identifier: Apache-2.0
// rhizome fetch: downloads a graph of the manifest.
#include <rhizome/cli/command.hpp>
#include <rhizome/cli/datasets.hpp>
#include <rhizome/cli/download.hpp>
#include <rhizome/cli/packed_check.hpp>
#include <rhizome/cli/part_file.hpp>
#include <rhizome/cli/program.hpp>
#include <rhizome/cli/progress_bar.hpp>
#include <rhizome/cli/report.hpp>
#include <rhizome/cli/sha256.hpp>
#include <rhizome/cli/stand_in.hpp>
#include <rhizome/cli/text_columns.hpp>
#include <rhizome/cli/usage_error.hpp>
#include <rhizome/exec/stopwatch.hpp>
#include <rhizome/io/parse_error.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstdlib>
#include <filesystem>
#include <stdexcept>

namespace rhizome::cli {
namespace {

namespace fs = std::filesystem;

command_text fetch_text() {
    return {
        .name = "fetch",
        .words = "NAME",
        .summary = "downloads a graph of the manifest ('rhizome datasets') and checks it",
        .details =
            "curl, or wget without it, downloads to FILE.part. A later call with the same URL resumes it.\n"
            "The file gets its name once it is unpacked to its end without an error and its checksum is\n"
            "that of the manifest. Of an archive of the SuiteSparse collection tar unpacks NAME.mtx, and\n"
            "the archive goes. If the manifest knows no checksum, the one that was computed is printed.\n"
            "Without a network, the failure says where to get the file, where to put it, and which\n"
            "generated graph stands in for it.\n",
        .examples = "  rhizome fetch luxembourg_osm --to graphs\n"
                    "  RHIZOME_DATASETS=graphs rhizome bench run ouroboros-fig4",
        .options = {{"to", "the folder (default: RHIZOME_DATASETS, or else the present one); made if need be",
                     "FOLDER"},
                    {"url", "download from a mirror instead", "URL"},
                    {"sha256", "the checksum to expect of what is downloaded, instead of the manifest's",
                     "HEX"},
                    {"again", "download although the file is there"}},
        .opens_session = false};
}

/// What is fetched, from where, to where.
struct errand {
    dataset const& graph;
    std::string folder;
    std::string url;
    std::string sha256; ///< "": not known

    [[nodiscard]] bool is_archive() const { return graph.file_name().ends_with(".tar.gz"); }
    /// The file that is left in the end.
    [[nodiscard]] std::string target() const {
        return (fs::path(folder) / (is_archive() ? graph.name + ".mtx" : graph.file_name())).string();
    }
    [[nodiscard]] std::string part() const {
        return (fs::path(folder) / (graph.file_name() + ".part")).string();
    }
    /// What a person can do if the download fails.
    [[nodiscard]] std::string advice() const {
        return fmt::format("by hand: get {} from {} and put {} into {}; or generate a stand-in: {}",
                           graph.file_name(), graph.home, fs::path(target()).filename().string(), folder,
                           stand_in_for(graph, graph.vertices).call(graph.stand_in_file()));
    }
};

bool is_checksum(std::string const& text) {
    return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

errand errand_of(arguments const& args) {
    dataset const& graph = find_dataset(args.words(1, 1).front());
    char const* const usual = std::getenv("RHIZOME_DATASETS");
    std::string const folder = args.has("to")                       ? args.text("to")
                               : usual != nullptr && *usual != '\0' ? usual
                                                                    : ".";
    std::string const url = args.has("url") ? args.text("url") : graph.download;
    if (!url.starts_with("http://") && !url.starts_with("https://"))
        throw usage_error(fmt::format("--url: found {}, expected http:// or https://", io::quoted(url)));
    std::string const sum = args.has("sha256") ? args.text("sha256") : graph.sha256;
    if (args.has("sha256") && !is_checksum(sum))
        throw usage_error(
            fmt::format("--sha256: found {}, expected 64 hexadecimal digits in lower case", io::quoted(sum)));
    return {graph, folder, url, sum};
}

/// Unpacks NAME/NAME.mtx of the archive to `to`. Throws std::runtime_error.
void unpack(errand const& what, std::string const& to) {
    std::string const tar = find_program("tar");
    std::string const member = fmt::format("{0}/{0}.mtx", what.graph.name);
    if (tar.empty())
        throw std::runtime_error(
            fmt::format("{}: there is no tar on PATH to unpack {}", what.part(), member));
    // An absolute path: tar takes what is before a colon, and behind no slash, for another computer.
    program_end const end = run_program({tar, "-xzO", "-f", fs::absolute(what.part()).string(), member}, to);
    if (end.exit_code == 0 && fs::file_size(to) != 0) return;
    fs::remove(to);
    throw std::runtime_error(
        fmt::format("{}: cannot unpack {} ({}); 'rhizome fetch' downloads it anew once {} is gone",
                    what.part(), member, end.last_words, what.part()));
}

/// Downloads the whole file. Bytes of an earlier call that do not belong to it, because the server has
/// another version by now, are dropped, and the file is downloaded once more. Returns how many bytes of an
/// earlier call are part of it. Throws std::runtime_error; what is no whole file goes then.
std::uint64_t download_whole(errand const& what, part_file const& part, progress_bar& bar) {
    for (;;) {
        std::uint64_t earlier = 0;
        try {
            earlier = download(what.url, part.path(), [&](std::uint64_t bytes) {
                bar.show(-1, fmt::format("{}: {}", what.graph.file_name(), bytes_text(bytes)));
            });
        } catch (download_error const& error) {
            bar.clear();
            throw std::runtime_error(fmt::format("{}: {}; {}", what.graph.name, error.what(), what.advice()));
        }
        std::string const flaw = flaw_of_download(part.path(), what.graph.file_name(), [&](double share) {
            bar.show(share, "checking " + part.path());
        });
        // If the server had nothing to add, only a checksum in the file can say that it is whole.
        bool const unproven =
            earlier != 0 && earlier == part.bytes() && !has_own_checksum(what.graph.file_name());
        if (flaw.empty() && !unproven) return earlier;
        part.clear();
        if (earlier != 0) continue;
        bar.clear();
        throw std::runtime_error(
            fmt::format("{}: {}; what was downloaded is removed; {}", part.path(), flaw, what.advice()));
    }
}

/// The checksum of the whole download. Throws std::runtime_error if another was expected; the file goes then.
std::string checked_sum(errand const& what, part_file const& part, progress_bar& bar) {
    bar.show(-1, "checking " + part.path());
    std::string const found = sha256_of_file(part.path());
    if (what.sha256.empty() || found == what.sha256) return found;
    part.clear();
    bar.clear();
    throw std::runtime_error(
        fmt::format("{}: found sha256 {}, expected {}; what was downloaded is removed; {}", part.path(),
                    found, what.sha256, what.advice()));
}

void run_fetch(command_context& context) {
    errand const what = errand_of(context.args);
    nlohmann::ordered_json document{{"command", "fetch"},
                                    {"version", RHIZOME_VERSION},
                                    {"name", what.graph.name},
                                    {"file", what.target()}};
    auto const is_there_already = [&] {
        if (!fs::exists(what.target()) || context.args.has("again")) return false;
        document["downloaded"] = false;
        report_file(
            context, document,
            fmt::format("{}: is there already; --again downloads it anew\n", io::shown(what.target())));
        return true;
    };
    if (is_there_already()) return;
    std::error_code failed;
    fs::create_directories(what.folder, failed);
    if (failed) throw io::file_error(what.folder, "cannot make the folder: " + failed.message());
    part_file part(what.part());
    if (is_there_already()) return; // another process has finished it before this one had the lock
    part.expect(what.url);
    progress_bar bar(shows_progress(context));
    exec::wall_timer const watch;
    std::uint64_t const earlier = download_whole(what, part, bar);
    std::uint64_t const bytes = part.bytes();
    std::string const sum = checked_sum(what, part, bar);
    if (what.is_archive()) {
        std::string const unpacked = what.target() + ".part";
        bar.show(-1, "unpacking " + what.part());
        unpack(what, unpacked);
        fs::rename(unpacked, what.target());
        part.remove();
    } else {
        part.become(what.target());
    }
    bar.clear();
    bool const checked = !what.sha256.empty();
    document.update({{"downloaded", true},
                     {"url", what.url},
                     {"bytes", bytes},
                     {"resumed_at", earlier},
                     {"sha256", sum},
                     {"checked", checked},
                     {"ms", watch.elapsed_ms()}});
    if (!checked)
        context.add_notice(fmt::format("{} could not be checked: the manifest has no checksum of it",
                                       what.graph.file_name()));
    report_file(context, document,
                fmt::format("{}: {} downloaded{}, sha256 {} ({})\n", io::shown(what.target()),
                            bytes_text(bytes),
                            earlier == 0 ? "" : fmt::format(", the first {} earlier", bytes_text(earlier)),
                            sum, checked ? "as expected" : "not checked"));
}

} // namespace

command const fetch_command{fetch_text, run_fetch};

} // namespace rhizome::cli
