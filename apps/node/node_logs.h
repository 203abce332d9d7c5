// NodeLog and NodeAudit open the logs of a node, which stay open until the end of the process.
#pragma once

namespace pelorus {

class ServedFolder;
struct NodeIdentity;
struct NodeSettings;

// Log of the node, in the data folder unless the settings name another place.
class NodeLog {
public:
    // Opens the log file: from here on the node logs there. Makes the folders on the way to its file.
    explicit NodeLog(const NodeSettings& settings);
};

// Audit log of the node, where the settings ask for one.
class NodeAudit {
public:
    // From here on what users do is audited. The file is the data folder's: the folder must be this process's own.
    NodeAudit(const NodeSettings& settings, const ServedFolder& folder, const NodeIdentity& identity);
};

}  // namespace pelorus
