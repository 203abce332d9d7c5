#include "apps/console/known_nodes.h"

#include <fcntl.h>
#include <unistd.h>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "common/error.h"
#include "tests/support/environment.h"
#include "tests/support/temporary_folder.h"

using namespace pelorus;
using pelorus::testing::EnvironmentVariable;

namespace {

// Nobody sits at the terminal while it lives.
class NoTerminal {
public:
    NoTerminal() : before_(::dup(STDIN_FILENO)) {
        const int nothing = ::open("/dev/null", O_RDONLY);
        ::dup2(nothing, STDIN_FILENO);
        ::close(nothing);
    }
    ~NoTerminal() {
        if (before_ < 0) return;
        ::dup2(before_, STDIN_FILENO);
        ::close(before_);
    }
    NoTerminal(const NoTerminal&) = delete;
    NoTerminal& operator=(const NoTerminal&) = delete;

private:
    const int before_;
};

std::pair<std::string, std::string> refusal(const std::string& host, int port, const std::string& fingerprint) {
    try {
        requireKnownNode(host, port, fingerprint);
    } catch (const UserError& error) {
        return {error.what(), std::string(error.hint())};
    }
    return {};
}

}  // namespace

TEST_CASE("the certificate that is kept for a node is taken, for this node and port alone") {
    const TemporaryFolder home;
    const EnvironmentVariable variable("HOME", home.path());
    const NoTerminal nobody;
    std::filesystem::create_directory(home / ".pelorus");
    std::ofstream(home / ".pelorus/known_nodes") << "node1:8848 aa11\nnode2:8848 bb22\n";
    CHECK_NOTHROW(requireKnownNode("node1", 8848, "aa11"));
    CHECK_NOTHROW(requireKnownNode("node2", 8848, "bb22"));
    CHECK(refusal("node1", 8849, "aa11").first == "The certificate of node1:8849 is not known: its SHA-256 is aa11.");
    CHECK(refusal("node", 8848, "aa11").first.find("is not known") != std::string::npos);
}

TEST_CASE("another certificate than before is refused with the file that says so") {
    const TemporaryFolder home;
    const EnvironmentVariable variable("HOME", home.path());
    const NoTerminal nobody;
    std::filesystem::create_directory(home / ".pelorus");
    std::ofstream(home / ".pelorus/known_nodes") << "node1:8848 aa11\n";
    const auto [message, hint] = refusal("node1", 8848, "cc33");
    CHECK(message == "The certificate of node1:8848 is not the one that was trusted before: its SHA-256 is cc33.");
    CHECK(hint == "Somebody may read along. If the node was given a new certificate, remove its line from " +
                      home.path() + "/.pelorus/known_nodes.");
}

TEST_CASE("without a person and without a home nothing is trusted, and nothing is written") {
    const TemporaryFolder home;
    const NoTerminal nobody;
    {
        const EnvironmentVariable variable("HOME", home.path());
        CHECK(refusal("node1", 8848, "aa11").second ==
              "Connect from a terminal once, or give the certificate by --tls-certificate FILE.");
        CHECK(std::filesystem::is_empty(home.path()));
    }
    const EnvironmentVariable variable("HOME", std::nullopt);
    CHECK(refusal("node1", 8848, "aa11").first == "HOME is not set, so no certificate is known.");
}
