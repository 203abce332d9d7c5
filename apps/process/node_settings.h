// NodeSettings holds the settings of a serving process. settings_table.h has their names, units and ranges, and says
// what each one does.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "apps/process/settings_of_streams.h"
#include "common/language_settings.h"
#include "common/log.h"
#include "storage/commit/storage_options.h"
#include "storage/table/outside_rules.h"

namespace pelorus {

// All settings with their defaults; the comments say what an empty string or 0 means.
struct NodeSettings {
    std::string host = "127.0.0.1";
    int port = 8848;
    std::string advertised;    // "host[:port]"; empty: host and port
    std::string dataFolder;    // empty until parseNodeSettings sets its default
    std::string alias;         // empty: "local" and the port, once it is open
    std::string settingsFile;  // file that the settings were read from; empty: none
    std::string calendarFolder = "marketHoliday";
    std::string moduleFolder = "modules";
    std::vector<std::string> fileFolders = {"files", "backup", "uploads"};
    bool confinesAdministrators = false;
    bool dev = false;
    std::string adminPassword;  // empty: a random one, printed once
    bool guestsMayRun = false;
    std::vector<std::string> allowedHosts, allowedOrigins;
    std::string webRoot;  // folder; empty: the page of the program
    bool offersTls = true;
    bool requireTls = false;
    std::string tlsCertificate, tlsKey;  // files; empty: made at the first start
    int maxConnections = 512;
    int64_t maxRequestBytes = 0;  // 0: half of the memory
    int batchWorkers = 4;
    double maxResultGigabytes = 0;           // 0: the lesser of 8 and half of the memory
    double maxRequestSeconds = 0;            // 0: no limit
    double maxMemoryGigabytes = 0;           // 0: 80 % of what the machine or container has
    std::vector<std::string> etcdEndpoints;  // the node belongs to a cluster when there are some
    std::string clusterName = "cluster";
    int maxStalenessSeconds = 0;
    int replicationFactor = 1;
    LogOptions log = {.file = "pelorus.log"};
    bool enableAuditLog = true;
    int64_t auditRotateBytes = int64_t{64} << 20;
    int auditKeptFiles = 10;
    bool enhancedSecurity = false;
    StorageOptions storage;
    OutsideRules outside;
    bool choosesNewValues = false;  // outside.newValues was given
    std::string lineDatabase = "dfs://ilp";
    std::string lineUser;
    int linePort = -1;      // -1: none
    int postgresPort = -1;  // a further port for clients; -1: none
    bool keepsScram = true;
    std::string lineKeys;
    std::string clusterKey;
    LanguageSettings language;
    StreamSettings streams;
};

// Parses the arguments of `serve`, and the file that they name. Throws UserError naming the option, or file and line,
// that is wrong.
NodeSettings parseNodeSettings(const std::vector<std::string>& arguments);

// Reads the settings of a file alone. Throws as parseNodeSettings does.
NodeSettings readNodeSettings(const std::string& path);

}  // namespace pelorus
