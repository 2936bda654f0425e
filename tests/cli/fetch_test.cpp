// rhizome fetch, from a server on this machine that fails as servers do. Skipped without python3 and without
// a program that downloads.
#include "tool_fixture.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

using namespace rhizome::cli::testing;
using rhizome::testing::scratch_folder;
using rhizome::testing::text_of;

namespace {

bool can_run(std::string const& command) { return std::system((command + " >/dev/null 2>&1").c_str()) == 0; }

/// file_server.py on a folder, as long as it lives.
class file_server {
public:
    explicit file_server(std::string const& folder) {
        int in[2];
        int out[2];
        if (pipe2(in, O_CLOEXEC) != 0 || pipe2(out, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
        child_ = fork();
        if (child_ == 0) {
            dup2(in[0], STDIN_FILENO);
            dup2(out[1], STDOUT_FILENO);
            execlp("python3", "python3", RHIZOME_FILE_SERVER, folder.c_str(), nullptr);
            _exit(127);
        }
        close(in[0]);
        close(out[1]);
        input_ = in[1];
        for (char c = 0; read(out[0], &c, 1) == 1 && c != '\n';)
            port_ += c;
        close(out[0]);
    }
    file_server(file_server const&) = delete;
    file_server& operator=(file_server const&) = delete;
    ~file_server() {
        close(input_);
        waitpid(child_, nullptr, 0);
    }

    [[nodiscard]] std::string url(std::string const& path) const {
        return "http://127.0.0.1:" + port_ + "/" + path;
    }

private:
    pid_t child_ = -1;
    int input_ = -1;
    std::string port_;
};

/// Text that no server compresses well, with lines of its own.
std::string long_text() {
    std::string text;
    for (unsigned line = 0; text.size() < 300'000; ++line)
        text += std::to_string(line * 2654435761u) + " " + std::to_string(line) + "\n";
    return text;
}

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
    [[nodiscard]] std::string requests() const {
        std::string const list = kept.path("requests");
        can_run("python3 -c \"import urllib.request, sys; open(sys.argv[2], 'wb').write("
                "urllib.request.urlopen(sys.argv[1]).read())\" " +
                server->url("requests") + " " + list);
        return text_of(list);
    }
    static std::string sum_of(std::string const& path) {
        outcome const sum = run_program({"sha256sum", path});
        return sum.out.substr(0, 64);
    }

    scratch_folder served;
    scratch_folder kept;
    std::unique_ptr<file_server> server;
};

} // namespace

TEST_F(fetch, downloads_and_prints_the_checksum_that_it_cannot_check) {
    std::string const text = long_text();
    std::string const sum = sum_of(served.write("a.txt", text));
    auto const result = get(snap, "good/a.txt");
    ASSERT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(text_of(at(file_name)), text);
    EXPECT_FALSE(std::filesystem::exists(part()));
    EXPECT_NE(result.out.find("sha256 " + sum + " (not checked)"), std::string::npos) << result.out;
    EXPECT_NE(result.err.find("could not be checked"), std::string::npos) << result.err;
    // It is there: nothing is asked of the server.
    std::string const before = requests();
    auto const again = get(snap, "good/a.txt");
    EXPECT_EQ(again.exit_code, 0);
    EXPECT_NE(again.out.find("is there already"), std::string::npos) << again.out;
    EXPECT_EQ(requests(), before);
    EXPECT_EQ(get(snap, "moved/a.txt", {"--again"}).exit_code, 0);
}

TEST_F(fetch, checks_the_checksum) {
    std::string const sum = sum_of(served.write("a.txt", long_text()));
    auto const good = get(snap, "good/a.txt", {"--sha256", sum, "--json"});
    ASSERT_EQ(good.exit_code, 0) << good.err;
    nlohmann::json const document = nlohmann::json::parse(good.out);
    EXPECT_EQ(document["sha256"], sum);
    EXPECT_EQ(document["checked"], true);
    EXPECT_EQ(document["resumed_at"], 0);
    std::filesystem::remove(at(file_name));
    auto const bad = get(snap, "good/a.txt", {"--sha256", std::string(64, '0')});
    expect_failure(bad, 1, "found sha256 " + sum + ", expected 000000");
    EXPECT_FALSE(std::filesystem::exists(at(file_name)));
    EXPECT_FALSE(std::filesystem::exists(part())); // nothing that a later call would resume
}

TEST_F(fetch, resumes_what_was_cut) {
    std::string const text = long_text();
    (void)served.write("a.txt", text);
    auto const cut = get(snap, "cut/a.txt");
    EXPECT_EQ(cut.exit_code, 1);
    EXPECT_EQ(cut.err_lines(), 1) << cut.err;
    EXPECT_NE(cut.err.find("resumes"), std::string::npos) << cut.err;
    ASSERT_EQ(text_of(part()), text.substr(0, text.size() / 2));
    EXPECT_FALSE(std::filesystem::exists(at(file_name)));
    auto const rest = get(snap, "good/a.txt", {"--json"});
    ASSERT_EQ(rest.exit_code, 0) << rest.err;
    EXPECT_EQ(text_of(at(file_name)), text);
    EXPECT_EQ(nlohmann::json::parse(rest.out)["resumed_at"], text.size() / 2);
    EXPECT_NE(requests().find("/good/a.txt bytes=" + std::to_string(text.size() / 2) + "-"),
              std::string::npos)
        << requests();
}

TEST_F(fetch, starts_anew_where_the_server_sends_no_parts) {
    std::string const text = long_text();
    (void)served.write("a.txt", text);
    std::filesystem::create_directory(folder());
    (void)kept.write(std::string("graphs/") + file_name + ".part", "something else");
    auto const result = get(snap, "whole/a.txt");
    ASSERT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(text_of(at(file_name)), text);
}

TEST_F(fetch, takes_a_part_that_is_whole_already) {
    std::string const text = long_text();
    (void)served.write("a.txt", text);
    std::filesystem::create_directory(folder());
    (void)kept.write(std::string("graphs/") + file_name + ".part", text);
    auto const result = get(snap, "good/a.txt");
    ASSERT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(text_of(at(file_name)), text);
}

TEST_F(fetch, says_what_to_do_where_it_fails) {
    std::string const stand_in =
        "rhizome generate barabasi-albert --vertices 4039 --degree 22 --output facebook_combined.graph";
    for (auto const& [path, part_of_line] : std::vector<std::pair<std::string, std::string>>{
             {"good/missing.txt", "404"}, {"error/a.txt", "500"}}) {
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
    (void)served.write("a.txt", long_text());
    std::filesystem::create_directory(folder());
    std::filesystem::create_symlink("/dev/full", part());
    expect_failure(get(snap, "good/a.txt"), 1, "cannot write " + part());
    EXPECT_FALSE(std::filesystem::exists(at(file_name)));
}

TEST_F(fetch, says_that_the_folder_cannot_be_made) {
    (void)kept.write("graphs", "a file");
    expect_failure(get(snap, "good/a.txt"), 1, "cannot make the folder");
}

TEST_F(fetch, uses_wget_without_curl_and_says_that_there_is_neither) {
    if (!can_run("command -v wget")) GTEST_SKIP() << "no wget";
    std::string const text = long_text();
    (void)served.write("a.txt", text);
    std::string const programs = kept.path("bin");
    std::filesystem::create_directory(programs);
    std::string const before = std::getenv("PATH");
    outcome const where = run_program({"sh", "-c", "command -v wget"});
    setenv("PATH", programs.c_str(), 1);
    auto const neither = get(snap, "good/a.txt");
    std::filesystem::create_symlink(where.out.substr(0, where.out.size() - 1), programs + "/wget");
    auto const cut = get(snap, "cut/a.txt");
    auto const rest = get(snap, "good/a.txt");
    auto const missing = get(snap, "good/missing.txt", {"--again"});
    setenv("PATH", before.c_str(), 1);
    expect_failure(neither, 1, "there is neither curl nor wget on PATH; by hand: get ");
    expect_failure(cut, 1, "ended the download after");
    ASSERT_EQ(rest.exit_code, 0) << rest.err;
    EXPECT_EQ(text_of(at(file_name)), text);
    EXPECT_NE(requests().find("/good/a.txt bytes="), std::string::npos) << requests();
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
    // An archive without the matrix, and a file that is no archive.
    std::filesystem::remove(at("luxembourg_osm.mtx"));
    auto const other = get("ldoor", "good/a.tar.gz");
    expect_failure(other, 1, "cannot unpack ldoor/ldoor.mtx");
    (void)served.write("b.tar.gz", "no archive");
    expect_failure(get("luxembourg_osm", "good/b.tar.gz"), 1,
                   "cannot unpack luxembourg_osm/luxembourg_osm.mtx");
    EXPECT_FALSE(std::filesystem::exists(at("luxembourg_osm.mtx")));
}

TEST_F(fetch, checks_its_words) {
    auto const close = run({"fetch", "europe_os"});
    expect_failure(close, 2, "did you mean 'europe_osm'");
    expect_failure(run({"fetch"}), 2, "fetch");
    expect_failure(run({"fetch", snap, "--url", "file:///etc/passwd"}), 2, "--url");
    expect_failure(run({"fetch", snap, "--sha256", "12"}), 2, "--sha256");
}
