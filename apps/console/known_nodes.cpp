#include "apps/console/known_nodes.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <iostream>

#include "common/error.h"

namespace pelorus {
namespace {

std::string knownNodesFile() {
    const char* home = std::getenv("HOME");
    if (!home || !*home)
        throw UserError("HOME is not set, so no certificate is known.", "Give one by --tls-certificate FILE.");
    return std::string(home) + "/.pelorus/known_nodes";
}

// Lines are "host:port fingerprint"; empty when there is none for the node.
std::string knownFingerprint(const std::string& file, const std::string& node) {
    std::ifstream lines(file);
    for (std::string name, fingerprint; lines >> name >> fingerprint;) {
        if (name == node) return fingerprint;
    }
    return "";
}

void remember(const std::string& file, const std::string& node, const std::string& fingerprint) {
    ::mkdir(file.substr(0, file.rfind('/')).c_str(), 0700);
    std::ofstream(file, std::ios::app) << node << ' ' << fingerprint << '\n';
    ::chmod(file.c_str(), 0600);
}

}  // namespace

void requireKnownNode(const std::string& host, int port, const std::string& fingerprint) {
    const std::string node = host + ':' + std::to_string(port), file = knownNodesFile();
    const std::string known = knownFingerprint(file, node);
    if (known == fingerprint) return;
    if (!known.empty()) {
        throw UserError(
            "The certificate of " + node + " is not the one that was trusted before: its SHA-256 is " + fingerprint +
                ".",
            "Somebody may read along. If the node was given a new certificate, remove its line from " + file + ".");
    }
    if (!::isatty(STDIN_FILENO)) {
        throw UserError("The certificate of " + node + " is not known: its SHA-256 is " + fingerprint + ".",
                        "Connect from a terminal once, or give the certificate by --tls-certificate FILE.");
    }
    std::cout << "The certificate of " << node << " has the SHA-256 " << fingerprint
              << ".\nTrust it from now on? [y/N] " << std::flush;
    std::string answer;
    if (!std::getline(std::cin, answer) || (answer != "y" && answer != "yes"))
        throw UserError("The certificate was not trusted.");
    remember(file, node, fingerprint);
}

}  // namespace pelorus
