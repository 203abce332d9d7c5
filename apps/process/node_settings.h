// NodeSettings holds the settings of a serving process, from the command line or from lines `name=value` of a file.
#pragma once

#include <string>
#include <vector>

#include "common/log.h"
#include "storage/commit/storage_options.h"
#include "storage/table/outside_rules.h"

namespace pelorus {

// All settings with their defaults; the comments name those whose name differs.
struct NodeSettings {
    std::string host = "127.0.0.1";
    int port = 8848;
    std::string advertised;    // advertise: address for the other nodes, "host[:port]"; empty: host and port
    std::string dataFolder;    // default: ~/.pelorus
    std::string alias;         // default: local<port>
    std::string settingsFile;  // file that the settings were read from; empty: none
    std::string calendarFolder = "marketHoliday";  // trading calendars; below dataFolder unless absolute
    std::string moduleFolder = "modules";  // below dataFolder, the working or the program's folder, unless absolute
    // Folders in which users open files, relative ones below dataFolder; administrators open any file unless they are
    // confined.
    std::vector<std::string> fileFolders = {"files", "backup", "uploads"};
    bool confinesAdministrators = false;  // adminFiles=folders
    bool dev = false;                     // admin/123456, and guests may run scripts
    std::string adminPassword;            // first password in a new data folder; empty: a random one, printed once
    bool guestsMayRun = false;
    // Further names of this server, and origins of web pages that may use it.
    std::vector<std::string> allowedHosts, allowedOrigins;
    bool offersTls = true;               // enableHTTPS: on the same port, for clients that begin with a handshake
    bool requireTls = false;             // refuses unencrypted clients on other machines
    std::string tlsCertificate, tlsKey;  // PEM files; empty: made at the first start, in tls below dataFolder
    int maxConnections = 512;
    int64_t maxRequestBytes = 0;  // size of the values of one request; 0: half of the memory
    int batchWorkers = 4;
    double maxResultGigabytes = 0;           // memLimitOfQueryResult; 0: the lesser of 8 and half of the memory
    double maxRequestSeconds = 0;            // maxQueryExecutionTime; 0: no limit
    double maxMemoryGigabytes = 0;           // 0: 80 % of what the machine or container has
    std::vector<std::string> etcdEndpoints;  // "host:port"; the node belongs to a cluster when there are some
    std::string clusterName = "cluster";
    int maxStalenessSeconds = 0;  // maxStaleness: how long queries may continue without etcd
    int replicationFactor = 1;    // copies of new partitions: dfsReplicationFactor
    // logLevel, logFile (below dataFolder unless absolute, - for stderr), logFormat, maxLogSize
    LogOptions log = {.file = "pelorus.log"};
    bool enableAuditLog = true;
    int64_t auditRotateBytes = int64_t{64} << 20;  // auditLogSize: maximum size of audit.log below dataFolder
    int auditKeptFiles = 10;                       // auditLogFiles
    bool enhancedSecurity = false;                 // enhancedSecurityVerification: see ClientPolicy
    StorageOptions storage;                  // dataSync, volumes, redoLogDir, sizes of the log and of the write cache
    OutsideRules outside;                    // newValuePartitionPolicy (add with --dev), allowMissingPartitions
    bool choosesNewValues = false;           // newValuePartitionPolicy is given
    std::string lineDatabase = "dfs://ilp";  // ilpDatabase: database of the line protocol's tables
    std::string lineUser;                    // ilpUser: user of unauthenticated line senders on this machine
    int linePort = -1;                       // ilpPort: TCP port of the line protocol; -1: none
    std::string lineKeys;                    // ilpKeys: file with the senders' keys, below dataFolder unless absolute
    std::string clusterKey;                  // shared key by which the nodes of a cluster log in to each other
};

// Parses the arguments of `serve`, and the file that they name. Throws UserError naming the option, or file and line,
// that is wrong.
NodeSettings parseNodeSettings(const std::vector<std::string>& arguments);

// Reads the settings of a file alone. Throws as parseNodeSettings does.
NodeSettings readNodeSettings(const std::string& path);

}  // namespace pelorus
