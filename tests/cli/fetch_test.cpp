// SPDX-License-Identifier: Apache-2.0
// rhizome fetch, from a server on this machine that fails as servers do. Skipped without python3 and without
// a program that downloads.
#include "tool_fixture.hpp"

#include <rhizome/comm/launch/process.hpp>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace comm = rhizome::comm;
using namespace rhizome::cli::testing;
using rhizome::testing::scratch_folder;
using rhizome::testing::text_of;

namespace {

bool can_run(std::string const& command) { return std::system((command + " >/dev/null 2>&1").c_str()) == 0; }

/// file_server.py on a folder, as long as it lives.
class file_server {
public:
    explicit file_server(std::string const& folder)
        : child_({.words = {"python3", RHIZOME_FILE_SERVER, folder},
                  .descriptors = {in_.read.get(), out_.write.get(), STDERR_FILENO}}) {
        in_.read.reset();
        out_.write.reset();
        while (!port_.ends_with('\n') && out_.read.get() >= 0)
            comm::read_some(out_.read, port_);
        port_ = comm::last_line(port_);
    }
    ~file_server() {
        in_.write.reset();
        child_.wait();
    }

    [[nodiscard]] std::string url(std::string const& path) const {
        return "http://127.0.0.1:" + port_ + "/" + path;
    }

private:
    comm::pipe_ends in_;
    comm::pipe_ends out_;
    comm::child_process child_;
    std::string port_;
};

/// Text that no server compresses well, with lines of its own.
std::string long_text() {
    std::string text;
    for (unsigned line = 0; text.size() < 300'000; ++line)
        text += std::to_string(line * 2654435761u) + " " + std::to_string(line) + "\n";
    return text;
}

/// Asks some hundred times; false if it never becomes true.
template <class Condition>
bool comes_true(Condition const& condition) {
    for (int round = 0; round < 500; ++round) {
        if (condition()) return true;
        usleep(20'000);
    }
    return false;
}

/// An environment variable for the time of a test.
class variable {
public:
    variable(char const* name, std::string const& value) : name_(name) {
        if (char const* const before = std::getenv(name)) before_ = before;
        setenv(name, value.c_str(), 1);
    }
    variable(variable const&) = delete;
    variable& operator=(variable const&) = delete;
    ~variable() {
        if (before_)
            setenv(name_, before_->c_str(), 1);
        else
            unsetenv(name_);
    }

private:
    char const* name_;
    std::optional<std::string> before_;
};

constexpr char const* snap = "facebook_combined";             ///< a graph whose file is no archive
constexpr char const* file_name = "facebook_combined.txt.gz"; ///< of it

class fetch : public ::testing::Test {
protected:
    void SetUp() override {
        if (!can_run("python3 -c 'import http.server'")) GTEST_SKIP() << "no python3 to serve files";
        if (!can_run("command -v curl") && !can_run("command -v wget"))
            GTEST_SKIP() << "neither curl nor wget to download with";
        unsetenv("RHIZOME_DATASETS");
        for (char const* proxy : {"http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"})
            unsetenv(proxy);
        server = std::make_unique<file_server>(served.path(""));
    }

    outcome get(char const* graph, std::string const& path, std::vector<std::string> const& more = {}) const {
        std::vector<std::string> words{"fetch", graph, "--to", folder(), "--url", server->url(path)};
        words.insert(words.end(), more.begin(), more.end());
        return run(words);
    }
    [[nodiscard]] std::string folder() const { return kept.path("graphs"); }
    [[nodiscard]] std::string at(std::string const& name) const { return folder() + "/" + name; }
    [[nodiscard]] std::string part() const { return at(std::string(file_name) + ".part"); }
    std::string ask(std::string const& path) const {
        variable const path_of_python("PATH", all_programs);
        std::string const answer = kept.path("answer");
        can_run("python3 -c \"import urllib.request, sys; open(sys.argv[2], 'wb').write("
                "urllib.request.urlopen(sys.argv[1]).read())\" " +
                server->url(path) + " " + answer);
        return text_of(answer);
    }
    [[nodiscard]] std::string requests() const { return ask("requests"); }
    /// Serves the text, compressed, under this name; returns what a download must give.
    std::string serve(std::string const& name, std::string const& text) const {
        std::string const plain = served.write("plain", text);
        EXPECT_TRUE(can_run("gzip -nf '" + plain + "'"));
        std::filesystem::rename(plain + ".gz", served.path(name));
        return text_of(served.path(name));
    }
    /// Leaves bytes as an earlier call does that was cut.
    void leave_part(std::string const& bytes, std::string const& url) const {
        std::filesystem::create_directories(folder());
        (void)kept.write(std::string("graphs/") + file_name + ".part", bytes);
        (void)kept.write(std::string("graphs/") + file_name + ".part.url", url + "\n");
    }
    /// A folder with a link to one program that downloads, for PATH. "": there is no such program.
    [[nodiscard]] std::string only(std::string const& program) const {
        outcome const where = run_program({"sh", "-c", "command -v " + program});
        if (where.exit_code != 0) return "";
        std::string const programs = kept.path("only-" + program);
        if (std::filesystem::create_directory(programs))
            std::filesystem::create_symlink(where.out.substr(0, where.out.size() - 1),
                                            programs + "/" + program);
        return programs;
    }
    /// Does the same with curl and with wget, as far as they are there.
    template <class Work>
    void with_each_program(Work const& work) const {
        for (char const* program : {"curl", "wget"}) {
            SCOPED_TRACE(program);
            std::string const programs = only(program);
            if (programs.empty()) continue;
            std::filesystem::remove_all(folder());
            variable const path("PATH", programs);
            work();
        }
    }
    static std::string sum_of(std::string const& path) {
        outcome const sum = run_program({"sha256sum", path});
        return sum.out.substr(0, 64);
    }

    std::string const all_programs = std::getenv("PATH");
    scratch_folder served;
    scratch_folder kept;
    std::unique_ptr<file_server> server;
};

} // namespace

TEST_F(fetch, downloads_and_prints_the_checksum_that_it_cannot_check) {
    std::string const text = serve("a.gz", long_text());
    std::string const sum = sum_of(served.path("a.gz"));
    auto const result = get(snap, "good/a.gz");
    ASSERT_EQ(result.exit_code, 0) << result.err;
    EXPECT_TRUE(text_of(at(file_name)) == text);
    EXPECT_FALSE(std::filesystem::exists(part()));
    EXPECT_NE(result.out.find("sha256 " + sum + " (not checked)"), std::string::npos) << result.out;
    EXPECT_NE(result.err.find("could not be checked"), std::string::npos) << result.err;
    // It is there: nothing is asked of the server.
    std::string const before = requests();
    auto const again = get(snap, "good/a.gz");
    EXPECT_EQ(again.exit_code, 0);
    EXPECT_NE(again.out.find("is there already"), std::string::npos) << again.out;
    EXPECT_EQ(requests(), before);
    EXPECT_EQ(get(snap, "moved/a.gz", {"--again"}).exit_code, 0);
}

TEST_F(fetch, checks_the_checksum) {
    (void)serve("a.gz", long_text());
    std::string const sum = sum_of(served.path("a.gz"));
    auto const good = get(snap, "good/a.gz", {"--sha256", sum, "--json"});
    ASSERT_EQ(good.exit_code, 0) << good.err;
    nlohmann::json const document = nlohmann::json::parse(good.out);
    EXPECT_EQ(document["sha256"], sum);
    EXPECT_EQ(document["checked"], true);
    EXPECT_EQ(document["resumed_at"], 0);
    std::filesystem::remove(at(file_name));
    auto const bad = get(snap, "good/a.gz", {"--sha256", std::string(64, '0')});
    expect_failure(bad, 1, "found sha256 " + sum + ", expected 000000");
    EXPECT_FALSE(std::filesystem::exists(at(file_name)));
    EXPECT_FALSE(std::filesystem::exists(part())); // nothing that a later call would resume
}

TEST_F(fetch, resumes_what_was_cut) {
    std::string const text = serve("a.gz", long_text());
    auto const cut = get(snap, "cut/a.gz");
    EXPECT_EQ(cut.exit_code, 1);
    EXPECT_EQ(cut.err_lines(), 1) << cut.err;
    EXPECT_NE(cut.err.find("resumes"), std::string::npos) << cut.err;
    ASSERT_TRUE(text_of(part()) == text.substr(0, text.size() / 2));
    EXPECT_FALSE(std::filesystem::exists(at(file_name)));
    auto const rest = get(snap, "cut/a.gz", {"--json"});
    ASSERT_EQ(rest.exit_code, 0) << rest.err;
    EXPECT_TRUE(text_of(at(file_name)) == text);
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder()), {}), 1); // nothing else is left
    EXPECT_EQ(nlohmann::json::parse(rest.out)["resumed_at"], text.size() / 2);
    EXPECT_NE(requests().find("/cut/a.gz bytes=" + std::to_string(text.size() / 2) + "-"), std::string::npos)
        << requests();
}

TEST_F(fetch, starts_anew_where_the_server_sends_no_parts) {
    std::string const text = serve("a.gz", long_text());
    with_each_program([&] {
        leave_part("something else", server->url("whole/a.gz"));
        auto const result = get(snap, "whole/a.gz");
        ASSERT_EQ(result.exit_code, 0) << result.err;
        EXPECT_TRUE(text_of(at(file_name)) == text);
        EXPECT_EQ(result.out.find("earlier"), std::string::npos) << result.out;
    });
}

TEST_F(fetch, takes_a_part_that_is_whole_already) {
    std::string const text = serve("a.gz", long_text());
    with_each_program([&] {
        leave_part(text, server->url("good/a.gz"));
        auto const result = get(snap, "good/a.gz", {"--json"});
        ASSERT_EQ(result.exit_code, 0) << result.err;
        EXPECT_TRUE(text_of(at(file_name)) == text);
        EXPECT_EQ(nlohmann::json::parse(result.out)["resumed_at"], text.size());
    });
}

TEST_F(fetch, resumes_only_what_came_from_the_same_url) {
    std::string const text = serve("a.gz", long_text());
    std::string const other = serve("b.gz", long_text() + "0 1\n");
    with_each_program([&] {
        // A whole stream, of something else: only its origin tells.
        leave_part(other, server->url("good/b.gz"));
        auto const result = get(snap, "good/a.gz", {"--json"});
        ASSERT_EQ(result.exit_code, 0) << result.err;
        EXPECT_TRUE(text_of(at(file_name)) == text);
        EXPECT_EQ(nlohmann::json::parse(result.out)["resumed_at"], 0);
        // A part of which nothing is known is not resumed either.
        leave_part(text.substr(0, 1000), "");
        std::filesystem::remove(part() + ".url");
        auto const unknown = get(snap, "good/a.gz", {"--again", "--json"});
        ASSERT_EQ(unknown.exit_code, 0) << unknown.err;
        EXPECT_EQ(nlohmann::json::parse(unknown.out)["resumed_at"], 0);
        EXPECT_TRUE(text_of(at(file_name)) == text);
    });
}

TEST_F(fetch, starts_anew_where_the_server_has_another_version_by_now) {
    std::string const text = serve("a.gz", long_text());
    std::string const older = serve("old.gz", "1 0\n" + long_text() + "0 1\n");
    ASSERT_GT(older.size(), text.size());
    for (std::size_t const bytes : {text.size() / 2, older.size() - 1}) // shorter and longer than the new one
        with_each_program([&] {
            SCOPED_TRACE(bytes);
            leave_part(older.substr(0, bytes), server->url("good/a.gz"));
            auto const result = get(snap, "good/a.gz", {"--json"});
            ASSERT_EQ(result.exit_code, 0) << result.err;
            EXPECT_TRUE(text_of(at(file_name)) == text);
            EXPECT_EQ(nlohmann::json::parse(result.out)["resumed_at"], 0);
        });
}

TEST_F(fetch, refuses_what_is_not_the_whole_file) {
    (void)serve("a.gz", long_text());
    with_each_program([&] {
        for (auto const& [path, flaw] : std::vector<std::pair<std::string, std::string>>{
                 {"empty/a.gz", "found no bytes"},
                 {"page/a.gz", "found '<!DOCTYPE html>please log in', expected a gzip stream"},
                 {"half/a.gz", "found a truncated or damaged gzip stream"}}) {
            auto const result = get(snap, path);
            expect_failure(result, 1, flaw);
            EXPECT_NE(result.err.find("by hand: get "), std::string::npos) << result.err;
            EXPECT_TRUE(std::filesystem::is_empty(folder())) << path;
        }
        // Of an archive, too.
        expect_failure(get("luxembourg_osm", "half/a.gz"), 1, "found a truncated or damaged gzip stream");
        EXPECT_TRUE(std::filesystem::is_empty(folder()));
    });
}

TEST_F(fetch, does_not_write_beside_a_program_that_a_killed_call_left) {
    std::string const text = serve("a.gz", long_text());
    with_each_program([&] {
        {
            comm::child_process killed({.words = {RHIZOME_TOOL_UNDER_TEST, "fetch", snap, "--to", folder(),
                                                  "--url", server->url("slow/a.gz"), "--quiet"}});
            ASSERT_TRUE(comes_true([&] {
                std::error_code none;
                auto const bytes = std::filesystem::file_size(part(), none);
                return !none && bytes > 0;
            }));
        }
        expect_failure(get(snap, "slow/a.gz"), 1, "another process is downloading it");
        expect_failure(get(snap, "good/a.gz"), 1, "another process is downloading it");
        ask("release");
        outcome after;
        EXPECT_TRUE(comes_true([&] {
            after = get(snap, "slow/a.gz");
            return after.exit_code == 0;
        })) << after.err;
        EXPECT_TRUE(text_of(at(file_name)) == text);
        ask("hold");
    });
}

TEST_F(fetch, downloads_once_however_many_processes_want_it) {
    (void)serve("a.gz", long_text());
    std::string const call = std::string(RHIZOME_TOOL_UNDER_TEST) + " fetch " + snap + " --to " + folder() +
                             " --url " + server->url("good/a.gz");
    for (int round = 0; round < 10; ++round) {
        std::filesystem::remove_all(folder());
        // Each begins a little later: some while the first downloads, some while it ends.
        outcome const all = run_program(
            {"sh", "-c", "for i in 1 2 3 4 5 6 7 8; do " + call + " 2>&1 & sleep 0.00$i; done; wait"});
        std::size_t downloads = 0;
        for (auto begin = all.out.find(" downloaded, "); begin != std::string::npos;
             begin = all.out.find(" downloaded, ", begin + 1))
            ++downloads;
        EXPECT_EQ(downloads, 1u) << all.out;
        EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder()), {}), 1);
    }
}

TEST_F(fetch, takes_a_url_as_it_is_and_no_settings_of_the_user) {
    std::string const text = serve("a{1,2}[3-4].gz", long_text());
    (void)kept.write(".curlrc", "max-filesize = 1\n");
    (void)kept.write(".wgetrc", "spider = on\n");
    variable const home("HOME", kept.path(""));
    with_each_program([&] {
        auto const result = get(snap, "good/a{1,2}[3-4].gz");
        ASSERT_EQ(result.exit_code, 0) << result.err;
        EXPECT_TRUE(text_of(at(file_name)) == text);
    });
}

TEST_F(fetch, says_what_to_do_where_it_fails) {
    std::string const stand_in = "rhizome generate barabasi-albert --vertices 4039 --degree 22 --output "
                                 "facebook_combined-stand-in.graph";
    for (auto const& [path, part_of_line] : std::vector<std::pair<std::string, std::string>>{
             {"good/missing.gz", "404"}, {"error/a.gz", "500"}}) {
        auto const result = get(snap, path);
        expect_failure(result, 1, "does not send");
        for (std::string const& part_text :
             {part_of_line, std::string("https://snap.stanford.edu/data/ego-Facebook.html"),
              "put " + std::string(file_name) + " into " + folder(), stand_in})
            EXPECT_NE(result.err.find(part_text), std::string::npos) << part_text << ": " << result.err;
        EXPECT_TRUE(std::filesystem::is_empty(folder()));
    }
    // Nothing listens there, and there is no such host.
    std::string const to = folder();
    expect_failure(run({"fetch", snap, "--to", to, "--url", "http://127.0.0.1:1/a"}), 1,
                   "cannot reach 127.0.0.1:1");
    auto const nowhere = run({"fetch", snap, "--to", to, "--url", "http://nowhere.invalid/a"});
    expect_failure(nowhere, 1, "cannot reach nowhere.invalid");
    EXPECT_NE(nowhere.err.find(stand_in), std::string::npos) << nowhere.err;
    EXPECT_TRUE(std::filesystem::is_empty(folder()));
}

TEST_F(fetch, says_that_the_disk_is_full) {
    (void)serve("a.gz", long_text());
    std::filesystem::create_directory(folder());
    std::filesystem::create_symlink("/dev/full", part());
    expect_failure(get(snap, "good/a.gz"), 1, "cannot write " + part());
    EXPECT_FALSE(std::filesystem::exists(at(file_name)));
}

TEST_F(fetch, says_that_the_folder_cannot_be_made) {
    (void)kept.write("graphs", "a file");
    expect_failure(get(snap, "good/a.gz"), 1, "cannot make the folder");
}

TEST_F(fetch, uses_wget_without_curl_and_says_that_there_is_neither) {
    if (!can_run("command -v wget")) GTEST_SKIP() << "no wget";
    std::string const text = serve("a.gz", long_text());
    outcome neither;
    {
        std::filesystem::create_directory(kept.path("no-programs"));
        variable const path("PATH", kept.path("no-programs"));
        neither = get(snap, "good/a.gz");
    }
    outcome cut;
    outcome rest;
    outcome missing;
    {
        variable const path("PATH", only("wget"));
        cut = get(snap, "cut/a.gz");
        rest = get(snap, "cut/a.gz");
        missing = get(snap, "good/missing.gz", {"--again"});
    }
    expect_failure(neither, 1, "there is neither curl nor wget on PATH; by hand: get ");
    expect_failure(cut, 1, "ended the download after");
    ASSERT_EQ(rest.exit_code, 0) << rest.err;
    EXPECT_TRUE(text_of(at(file_name)) == text);
    EXPECT_NE(requests().find("/cut/a.gz bytes="), std::string::npos) << requests();
    expect_failure(missing, 1, "does not send");
}

TEST_F(fetch, unpacks_the_matrix_of_an_archive) {
    std::string const inside = served.path("luxembourg_osm");
    std::filesystem::create_directory(inside);
    std::string const text = "%%MatrixMarket matrix coordinate pattern symmetric\n2 2 1\n2 1\n";
    (void)served.write("luxembourg_osm/luxembourg_osm.mtx", text);
    (void)served.write("luxembourg_osm/luxembourg_osm_coord.mtx", "other");
    ASSERT_EQ(run_program({"tar", "-czf", served.path("a.tar.gz"), "-C", served.path(""), "luxembourg_osm"})
                  .exit_code,
              0);
    auto const result = get("luxembourg_osm", "good/a.tar.gz");
    ASSERT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(text_of(at("luxembourg_osm.mtx")), text);
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder()), {}), 1); // nothing else is left
    // tar takes what is before a colon for another computer.
    std::string const colon = kept.path("a:b");
    outcome const there =
        run_program({"sh", "-c",
                     "cd '" + kept.path("") + "' && exec '" + RHIZOME_TOOL_UNDER_TEST +
                         "' fetch luxembourg_osm --to a:b --url " + server->url("good/a.tar.gz")});
    EXPECT_EQ(there.exit_code, 0) << there.err;
    EXPECT_EQ(text_of(colon + "/luxembourg_osm.mtx"), text);
    // An archive without the matrix, and a file that is no archive.
    std::filesystem::remove(at("luxembourg_osm.mtx"));
    auto const other = get("ldoor", "good/a.tar.gz");
    expect_failure(other, 1, "cannot unpack ldoor/ldoor.mtx");
    (void)served.write("b.tar.gz", "no archive");
    expect_failure(get("luxembourg_osm", "good/b.tar.gz"), 1, "found 'no archive', expected a gzip stream");
    EXPECT_FALSE(std::filesystem::exists(at("luxembourg_osm.mtx")));
}

TEST_F(fetch, checks_its_words) {
    auto const close = run({"fetch", "europe_os"});
    expect_failure(close, 2, "did you mean 'europe_osm'");
    expect_failure(run({"fetch"}), 2, "fetch");
    expect_failure(run({"fetch", snap, "--url", "file:///etc/passwd"}), 2, "--url");
    expect_failure(run({"fetch", snap, "--sha256", "12"}), 2, "--sha256");
}
