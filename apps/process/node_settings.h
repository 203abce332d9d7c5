// Settings of a serving process: from the command line, or from lines `name=value` of a file.
#pragma once

#include <string>
#include <vector>

#include "common/log.h"
#include "storage/table/local_table.h"

namespace pelorus {

struct NodeSettings {
    std::string host = "127.0.0.1";
    int port = 8848;
    std::string advertised;    // advertise: where the other nodes reach it, "host[:port]"; empty: host
    std::string dataFolder;    // default: ~/.pelorus
    std::string alias;         // default: local<port>
    std::string settingsFile;  // that these were read from; empty: none
    std::string calendarFolder = "marketHoliday";  // trading calendars; below dataFolder unless absolute
    std::string moduleFolder = "modules";  // below dataFolder, the working or the program's folder, unless absolute
    // Where users open files, relative ones below dataFolder; administrators open any file unless they are confined.
    std::vector<std::string> fileFolders = {"files", "backup", "uploads"};
    bool confinesAdministrators = false;  // adminFiles=folders
    bool dev = false;                     // admin/123456, and guests may run scripts
    std::string adminPassword;            // of a new data folder; empty: a random one, printed once
    bool guestsMayRun = false;
    // Names of this server beyond its own, and origins of web pages that may use it.
    std::vector<std::string> allowedHosts, allowedOrigins;
    bool offersTls = true;               // to whoever asks for it, on the same port (enableHTTPS)
    bool requireTls = false;             // of clients from other machines
    std::string tlsCertificate, tlsKey;  // PEM files; empty: made at the first start, in tls below dataFolder
    int maxConnections = 512;
    int64_t maxRequestBytes = 0;  // of the values of one request; 0: half of the memory
    int batchWorkers = 4;
    double maxResultGigabytes = 0;           // memLimitOfQueryResult; 0: the lesser of 8 and half of the memory
    double maxRequestSeconds = 0;            // maxQueryExecutionTime; 0: no limit
    double maxMemoryGigabytes = 0;           // 0: 80 % of what the machine or container has
    std::vector<std::string> etcdEndpoints;  // "host:port"; the node belongs to a cluster when there are some
    std::string clusterName = "cluster";
    int maxStalenessSeconds = 0;  // maxStaleness: how long queries go on without etcd
    int replicationFactor = 1;    // copies of new partitions: dfsReplicationFactor
    // logLevel, logFile (below dataFolder unless absolute, - for stderr), logFormat, maxLogSize
    LogOptions log = {.file = "pelorus.log"};
    bool enableAuditLog = true;
    int64_t auditRotateBytes = int64_t{64} << 20;  // auditLogSize: of audit.log below dataFolder
    int auditKeptFiles = 10;                       // auditLogFiles
    bool enhancedSecurity = false;                 // enhancedSecurityVerification: see ClientPolicy
    StorageOptions storage;                  // dataSync, volumes, redoLogDir, sizes of the log and of the write cache
    OutsideRules outside;                    // newValuePartitionPolicy (add with --dev), allowMissingPartitions
    bool choosesNewValues = false;           // newValuePartitionPolicy is given
    std::string lineDatabase = "dfs://ilp";  // ilpDatabase: of the line protocol's tables
    std::string lineUser;                    // ilpUser: who writes lines without saying who
    int linePort = -1;                       // ilpPort: for lines over TCP; -1: none
    std::string lineKeys;                    // ilpKeys: file of their senders' keys, below dataFolder unless absolute
    std::string clusterKey;                  // that the nodes of a cluster log in to each other with
};

// Throws UserError naming the option, or file and line, that is wrong.
NodeSettings parseNodeSettings(const std::vector<std::string>& arguments);

// The settings of a file alone.
NodeSettings readNodeSettings(const std::string& path);

}  // namespace pelorus
