// Keeps the certificates of nodes that a person has accepted in ~/.pelorus/known_nodes.
#pragma once

#include <string>

namespace pelorus {

// Returns if the certificate with this SHA-256 is the one known for the node, or a person at the terminal accepts it
// now. Throws UserError when another one is known, nobody can be asked, or the person refuses it.
void requireKnownNode(const std::string& host, int port, const std::string& fingerprint);

}  // namespace pelorus
