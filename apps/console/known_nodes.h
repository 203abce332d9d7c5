// Whom the console trusts by TLS: certificates that were shown to a person once, kept in ~/.pelorus/known_nodes.
#pragma once

#include <string>

namespace pelorus {

// Returns when the certificate with this SHA-256 is the one known for the node, or a person at the terminal takes it
// now. Throws UserError when it is another one, nobody can be asked, or it is refused.
void requireKnownNode(const std::string& host, int port, const std::string& fingerprint);

}  // namespace pelorus
