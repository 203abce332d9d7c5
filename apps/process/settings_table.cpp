#include "apps/process/settings_table.h"

#include <fmt/format.h>

#include <algorithm>

namespace pelorus {
namespace {

constexpr int kMaxPort = 65535;
constexpr int kSecondsOfDay = 86400;
constexpr auto kLanguage = &NodeSettings::language;
constexpr auto kLog = &NodeSettings::log;
constexpr auto kStorage = &NodeSettings::storage;
constexpr auto kOutside = &NodeSettings::outside;

// Notes that the policy was given: it has another default on a development server.
SettingPlace<OutsidePolicy> placeOfNewValues() {
    return {.get = [](const NodeSettings& settings) { return settings.outside.newValues; },
            .set =
                [](NodeSettings& settings, OutsidePolicy policy) {
                    settings.outside.newValues = policy;
                    settings.choosesNewValues = true;
                }};
}

// The parts of the table, a duty each, in the order of the page.
std::vector<Setting> settingsOfAddress() {
    return {
        {.name = "host",
         .field = stringField(placeOf(&NodeSettings::host)),
         .meaning = "address to listen on. Others than loopback let other machines in; see `requireTls`",
         .option = "--host"},
        {.name = "port",
         .field = numberField(placeOf(&NodeSettings::port), 0, kMaxPort),
         .meaning = "0 takes any free one",
         .option = "--port"},
        {.name = "advertise",
         .field = stringField(placeOf(&NodeSettings::advertised)),
         .meaning = "address, or address:port, at which the other nodes of the cluster reach this one; needed where "
                    "`host` is 0.0.0.0",
         .atDefault = "host, port"},
        {.name = "dataDir",
         .field = stringField(placeOf(&NodeSettings::dataFolder)),
         .meaning = "data folder; one process at a time",
         .atDefault = "~/.pelorus",
         .option = "--data"},
        {.name = "moduleDir",
         .field = stringField(placeOf(&NodeSettings::moduleFolder)),
         .meaning = "folder of modules; below `dataDir`, the working or the program's folder unless absolute",
         .option = "--module-dir",
         .report = SettingReport::Everywhere},
        {.name = "marketHolidayDir",
         .field = stringField(placeOf(&NodeSettings::calendarFolder)),
         .meaning = "folder of trading calendars; below `dataDir` unless absolute",
         .report = SettingReport::OnNodes},
        {.name = "alias",
         .field = stringField(placeOf(&NodeSettings::alias)),
         .meaning = "name of the node, unique in a cluster",
         .atDefault = "local + port",
         .option = "--alias"},
    };
}

std::vector<Setting> settingsOfAccess() {
    return {
        {.name = "adminPassword",
         .field = stringField(placeOf(&NodeSettings::adminPassword)),
         .meaning = "first password of `admin` in a new folder; without it `PELORUS_ADMIN_PASSWORD` of the environment",
         .atDefault = "random"},
        {.name = "guestsMayRun",
         .field = flagField(placeOf(&NodeSettings::guestsMayRun)),
         .meaning = "clients that did not log in may run scripts",
         .atDefault = "; with `--dev` true"},
        {.name = "dev", .field = flagField(placeOf(&NodeSettings::dev)), .meaning = "as `--dev`"},
        {.name = "enableHTTPS",
         .field = flagField(placeOf(&NodeSettings::offersTls)),
         .meaning =
             "whoever begins with a TLS handshake gets TLS 1.2 or 1.3, on the same port and under every protocol",
         .report = SettingReport::OnNodes},
        {.name = "requireTls",
         .field = flagField(placeOf(&NodeSettings::requireTls)),
         .meaning = "clients from other machines must use it"},
        {.name = "tlsCertificate",
         .field = stringField(placeOf(&NodeSettings::tlsCertificate)),
         .meaning = "PEM file, given together with `tlsKey`; without them the first start makes both in `tls` below "
                    "`dataDir`, signed by themselves, for ten years"},
        {.name = "tlsKey", .field = stringField(placeOf(&NodeSettings::tlsKey)), .meaning = "PEM file"},
        {.name = "fileFolders",
         .field = listField(placeOf(&NodeSettings::fileFolders)),
         .meaning = "folders that users share by grant (below), `dir1,dir2`, below `dataDir` unless absolute",
         .report = SettingReport::OnNodes},
        {.name = "adminFiles",
         .field =
             choiceField<bool>(placeOf(&NodeSettings::confinesAdministrators), {{"any", false}, {"folders", true}}),
         .meaning = "files that administrators open: `any` of the machine but the server's own, or `folders`: those of "
                    "users",
         .report = SettingReport::OnNodes},
        {.name = "allowedHosts",
         .field = listField(placeOf(&NodeSettings::allowedHosts)),
         .meaning = "names of this server beyond its own, `name,name`: HTTP requests that name another host get 403"},
        {.name = "allowedOrigins",
         .field = listField(placeOf(&NodeSettings::allowedOrigins)),
         .meaning = "origins of web pages that may use this server, as in `https://desk.example`"},
        {.name = "webRoot",
         .field = stringField(placeOf(&NodeSettings::webRoot)),
         .meaning = "folder whose files browsers get at this port instead of the page of the program, such as a web "
                    "client of your own; below `dataDir` unless absolute. Anyone who reaches the port reads them",
         .report = SettingReport::OnNodes},
        {.name = "enhancedSecurityVerification",
         .field = flagField(placeOf(&NodeSettings::enhancedSecurity)),
         .meaning = "five wrong logins lock a user at that address for ten minutes; new passwords have 8 to 20 "
                    "characters, among them a capital letter, a digit and a special character",
         .report = SettingReport::OnNodes},
        {.name = "maxConnections",
         .field = numberField(placeOf(&NodeSettings::maxConnections), 1, 10000),
         .meaning = "more are turned away with an error line; where clients must log in, four places more are kept for "
                    "`admin`. One user has a quarter of them at most, 16 at least",
         .report = SettingReport::OnNodes},
    };
}

std::vector<Setting> settingsOfLogs() {
    return {
        {.name = "logLevel",
         .field = choiceField<LogLevel>(placeOf(kLog, &LogOptions::level), {{"debug", LogLevel::Debug},
                                                                            {"info", LogLevel::Info},
                                                                            {"warning", LogLevel::Warning},
                                                                            {"error", LogLevel::Error},
                                                                            {"off", LogLevel::Off}}),
         .meaning = "lines of this level and above are logged"},
        {.name = "logFile",
         .field = stringField(placeOf(kLog, &LogOptions::file)),
         .meaning = "a file, below `dataDir` unless absolute; `-` for stderr"},
        {.name = "logFormat",
         .field = choiceField<LogFormat>(placeOf(kLog, &LogOptions::format),
                                         {{"text", LogFormat::Text}, {"json", LogFormat::Json}}),
         .meaning = "`text` (time, level, area, session, text, key=value) or `json`: one object a line"},
        {.name = "maxLogSize",
         .field = megabytesField(placeOf(kLog, &LogOptions::rotateBytes)),
         .meaning = "a longer file becomes `FILE.1`, and five old ones are kept"},
        {.name = "enableAuditLog",
         .field = flagField(placeOf(&NodeSettings::enableAuditLog)),
         .meaning = "keeps `audit.log` below `dataDir` (below)",
         .report = SettingReport::OnNodes},
        {.name = "auditLogSize",
         .field = megabytesField(placeOf(&NodeSettings::auditRotateBytes)),
         .meaning = "a longer `audit.log` becomes `audit.log.1`"},
        {.name = "auditLogFiles",
         .field = numberField(placeOf(&NodeSettings::auditKeptFiles), 0, 1000),
         .meaning = "how many old files of the audit log are kept"},
    };
}

std::vector<Setting> settingsOfStorage() {
    return {
        {.name = "dataSync",
         .field = digitField(placeOf(kStorage, &StorageOptions::dataSync)),
         .meaning = "1: what is acknowledged survives a power loss; 0 is faster and survives a killed process only",
         .report = SettingReport::Everywhere},
        {.name = "volumes",
         .field = listField(placeOf(kStorage, &StorageOptions::volumes)),
         .meaning = "folders on other disks, `dir1,dir2`: new column files go to them in turn; the log and the "
                    "checkpoints stay. Volumes that were in use must stay in the list",
         .report = SettingReport::Everywhere},
        {.name = "volumeUsageThreshold",
         .field = shareField(placeOf(kStorage, &StorageOptions::volumeUsageThreshold)),
         .meaning = "a disk that is filled beyond this share gets no new column files; when all are, large writes end "
                    "with an error",
         .report = SettingReport::Everywhere},
        {.name = "redoLogDir",
         .field = stringField(placeOf(kStorage, &StorageOptions::logFolder)),
         .meaning = "where the log lies; chosen when the data folder is made",
         .atDefault = "`wal` of the data folder"},
        {.name = "TDEKeyDir",
         .field = stringField(placeOf(kStorage, &StorageOptions::keyFolder)),
         .meaning = "folder, outside the data folder, that keeps the master keys of encrypted tables (below)",
         .report = SettingReport::Everywhere},
        {.name = "redoLogPurgeLimit",
         .field = gigabytesField(placeOf(kStorage, &StorageOptions::checkpointBytes)),
         .meaning = "so much log starts a checkpoint, after which the log is removed"},
        {.name = "redoLogPurgeInterval",
         .field = secondsField(placeOf(kStorage, &StorageOptions::checkpointSeconds), kSecondsOfDay),
         .meaning = "time after which a checkpoint is made however short the log is; 0: never"},
        {.name = "rowLogLimit",
         .field = gigabytesField(placeOf(kStorage, &StorageOptions::rowLogBytes)),
         .meaning = "so much log is kept for row tables alone, or a quarter of their rows, before their pages are "
                    "written to files"},
        {.name = "writeCacheSize",
         .field = gigabytesField(placeOf(kStorage, &StorageOptions::writeCacheBytes)),
         .meaning = "so many rows in the write cache start a flush"},
        {.name = "maxRowTransactionSize",
         .field = gigabytesField(placeOf(kStorage, &StorageOptions::maxTransactionBytes)),
         .meaning = "so much a transaction changes in row tables at most; then it ends with 53400"},
        {.name = "appendConflict",
         .field =
             choiceField<bool>(placeOf(kOutside, &OutsideRules::failOnConflict), {{"wait", false}, {"fail", true}}),
         .meaning = "`fail`: where a database has `atomic='TRANS'`, an append to a partition that another append of "
                    "this node is writing ends with `<ChunkInTransaction>`; by default it waits"},
        {.name = "allowMissingPartitions",
         .field = flagField(placeOf(kOutside, &OutsideRules::allowMissing)),
         .meaning = "rows that no partition takes are dropped, counted and told; false: the append is an error and "
                    "writes nothing",
         .report = SettingReport::Everywhere},
        {.name = "newValuePartitionPolicy",
         .field = choiceField<OutsidePolicy>(
             placeOfNewValues(),
             {{"skip", OutsidePolicy::Skip}, {"fail", OutsidePolicy::Fail}, {"add", OutsidePolicy::Add}}),
         .meaning = "the same for new values of a VALUE level: `skip` as above, `fail` is an error, `add` makes "
                    "partitions for them; `pelorus cluster up` writes `add`",
         .atDefault = "; with `--dev` add",
         .report = SettingReport::Everywhere},
    };
}

std::vector<Setting> settingsOfLimits() {
    return {
        {.name = "maxMemSize",
         .field = gigabytesField(placeOf(&NodeSettings::maxMemoryGigabytes)),
         .meaning = "memory that the process may take; 0 is 80 % of what the machine, the control group or `ulimit -v` "
                    "allows. Caches give way first, then sorts and groups go to `temp` in the data folder, then a "
                    "request that needs more ends with an error. `setMaxMemSize` changes it while the node runs",
         .report = SettingReport::Everywhere},
        {.name = "maxRequestBytes",
         .field = gigabytesField(placeOf(&NodeSettings::maxRequestBytes)),
         .meaning = "memory that the values of one request, answer of another server or file of values may take; 0 is "
                    "half of `maxMemSize`"},
        {.name = "maxBatchJobWorker",
         .field = numberField(placeOf(&NodeSettings::batchWorkers), 1, 256),
         .meaning = "batch jobs (`submitJob`) that run at the same time",
         .report = SettingReport::OnNodes},
        {.name = "memLimitOfQueryResult",
         .field = gigabytesField(placeOf(&NodeSettings::maxResultGigabytes)),
         .meaning = "memory that the result of one request may take; a larger one is an error and is not sent. 0: half "
                    "of `maxMemSize`, at most 8. `setMemLimitOfQueryResult` changes it while the node runs",
         .report = SettingReport::OnNodes},
        {.name = "maxQueryExecutionTime",
         .field = secondsField(placeOf(&NodeSettings::maxRequestSeconds), 1'000'000'000),
         .meaning = "time after which a request of a client is cancelled; 0: no limit. `setDynamicConfig` changes it "
                    "while the node runs"},
    };
}

std::vector<Setting> settingsOfLanguage() {
    return {
        {.name = "parseDecimalAsFloatingNumber",
         .field = flagField(placeOf(kLanguage, &LanguageSettings::parseDecimalAsFloatingNumber)),
         .meaning = "a literal such as 1.5 is a DOUBLE; false: a DECIMAL64 with its digits"},
        {.name = "appendTupleAsAWhole",
         .field = flagField(placeOf(kLanguage, &LanguageSettings::appendTupleAsAWhole)),
         .meaning = "`append!` of a tuple to a tuple adds one element; false: its elements"},
        {.name = "enableInsertStatementForDFSTable",
         .field = flagField(placeOf(kLanguage, &LanguageSettings::enableInsertStatementForDFSTable)),
         .meaning = "`insert into` works on tables of a database; false: only `append!` and `tableInsert` do"},
        {.name = "enableSharedVarCreationControl",
         .field = flagField(placeOf(kLanguage, &LanguageSettings::enableSharedVarCreationControl)),
         .meaning = "`share` needs the right CREATE_SHARED_VAR"},
        {.name = "enableShellFunction",
         .field = flagField(placeOf(kLanguage, &LanguageSettings::enableShellFunction)),
         .meaning = "`admin` may run commands of the operating system with `shell`"},
        {.name = "processVectorFunctionOverTupleByRow",
         .field = flagField(placeOf(kLanguage, &LanguageSettings::processVectorFunctionOverTupleByRow)),
         .meaning = "`cumsum((a, b))` and its like go along the rows of equally long vectors; false: through each "
                    "vector"},
    };
}

std::vector<Setting> settingsOfStreams() {
    constexpr auto kStreams = &NodeSettings::streams;
    constexpr int kMaxDepth = INT32_MAX;
    return {
        {.name = "persistenceDir",
         .field = stringField(placeOf(kStreams, &StreamSettings::persistenceFolder)),
         .meaning = "accepted: rows of stream tables that are kept on disk are in the data folder"},
        {.name = "persistOffsetDir",
         .field = stringField(placeOf(kStreams, &StreamSettings::offsetFolder)),
         .meaning = "accepted: the positions of subscriptions are in the data folder"},
        {.name = "persistenceWorkerNum",
         .field = numberField(placeOf(kStreams, &StreamSettings::persistenceWorkers), 0, 256),
         .meaning = "accepted: one thread writes the rows of all stream tables to the node's log"},
        {.name = "maxPersistenceQueueDepth",
         .field = numberField(placeOf(kStreams, &StreamSettings::maxPersistenceQueueDepth), 1, kMaxDepth),
         .meaning = "rows of a stream table that may wait for the disk; beyond it appends wait, for 30 s at most",
         .report = SettingReport::Everywhere},
        {.name = "maxSubQueueDepth",
         .field = numberField(placeOf(kStreams, &StreamSettings::maxSubQueueDepth), 1, kMaxDepth),
         .meaning = "rows that a handler may lag behind a stream table that bounds its rows in memory and is not on "
                    "disk; beyond it appends wait, for 30 s at most",
         .report = SettingReport::Everywhere},
        {.name = "maxPubQueueDepthPerSite",
         .field = numberField(placeOf(kStreams, &StreamSettings::maxPubQueueDepthPerSite), 1, kMaxDepth),
         .meaning = "rows that a subscriber on another machine may lag behind a stream table that bounds its rows in "
                    "memory and is not on disk; beyond it the subscriber is cut off",
         .report = SettingReport::Everywhere},
        {.name = "maxMsgNumPerBlock",
         .field = numberField(placeOf(kStreams, &StreamSettings::maxMsgNumPerBlock), 1, 1'000'000),
         .meaning = "rows that one message to a subscriber on another machine holds at most",
         .report = SettingReport::Everywhere},
        {.name = "subExecutors",
         .field = numberField(placeOf(kStreams, &StreamSettings::executors), 0, 256),
         .meaning = "threads that run the handlers of subscriptions; 0: half of the cores, at least 2. Further ones "
                    "start while all wait",
         .report = SettingReport::Everywhere},
        {.name = "subThrottle",
         .field = numberField(placeOf(kStreams, &StreamSettings::throttleMillis), 1, 1'000'000),
         .meaning = "milliseconds to which a smaller `throttle` of a subscription is raised",
         .report = SettingReport::Everywhere},
    };
}

std::vector<Setting> settingsOfLineProtocol() {
    return {
        {.name = "ilpDatabase",
         .field = databaseField(placeOf(&NodeSettings::lineDatabase)),
         .meaning = "database of the tables that the line protocol writes (below)"},
        {.name = "ilpUser",
         .field = stringField(placeOf(&NodeSettings::lineUser)),
         .meaning = "user who writes lines without saying who, from this machine only"},
        {.name = "ilpPort",
         .field = numberField(placeOf(&NodeSettings::linePort), 0, kMaxPort),
         .meaning = "port for lines over TCP, on loopback; 0 takes any free one. Needs `ilpUser` or `ilpKeys`",
         .atDefault = "none"},
        {.name = "ilpKeys",
         .field = stringField(placeOf(&NodeSettings::lineKeys)),
         .meaning = "file of the keys of those who send lines over TCP, below the data folder unless absolute: "
                    "`ilpPort` is then on `host`, and each sender signs a challenge (below)"},
    };
}

std::vector<Setting> settingsOfPostgres() {
    return {
        {.name = "pgPort",
         .field = numberField(placeOf(&NodeSettings::postgresPort), 0, kMaxPort),
         .meaning = "a further port for clients, such as 5432, which PostgreSQL's expect; 0 takes any free one. `port` "
                    "speaks their protocol, too",
         .atDefault = "none"},
        {.name = "pgScram",
         .field = flagField(placeOf(&NodeSettings::keepsScram)),
         .meaning =
             "with each new password a verifier of SCRAM-SHA-256 is kept, by which PostgreSQL's clients on other "
             "machines log in without TLS"},
    };
}

std::vector<Setting> settingsOfCluster() {
    return {
        {.name = "etcdEndpoints",
         .field = listField(placeOf(&NodeSettings::etcdEndpoints)),
         .meaning = "`host:port,…` of etcd: makes the node one of a cluster"},
        {.name = "clusterName",
         .field = stringField(placeOf(&NodeSettings::clusterName)),
         .meaning = "clusters of different names may share an etcd"},
        {.name = "maxStaleness",
         .field = secondsField(placeOf(&NodeSettings::maxStalenessSeconds), kSecondsOfDay),
         .meaning =
             "time for which queries go on at the last revision that the node knows when etcd does not answer; 0: "
             "they end with an error. `getSyncStates()` says how old their answers are"},
        {.name = "dfsReplicationFactor",
         .field = numberField(placeOf(&NodeSettings::replicationFactor), 1, 5),
         .meaning = "copies of each new partition, on as many nodes"},
        {.name = "clusterKey",
         .field = stringField(placeOf(&NodeSettings::clusterKey)),
         .meaning = "at least 16 bytes, the same on all nodes: what they log in to each other with"},
    };
}

std::vector<Setting> allSettings() {
    std::vector<Setting> table;
    for (std::vector<Setting> part : {settingsOfAddress(), settingsOfAccess(), settingsOfLogs(), settingsOfStorage(),
                                      settingsOfLimits(), settingsOfLanguage(), settingsOfStreams(),
                                      settingsOfLineProtocol(), settingsOfPostgres(), settingsOfCluster()}) {
        table.insert(table.end(), std::make_move_iterator(part.begin()), std::make_move_iterator(part.end()));
    }
    return table;
}

template <class Predicate>
const Setting* findIf(const Predicate& predicate) {
    const std::vector<Setting>& table = settingsTable();
    const auto found = std::find_if(table.begin(), table.end(), predicate);
    return found == table.end() ? nullptr : &*found;
}

}  // namespace

const std::vector<Setting>& settingsTable() {
    static const std::vector<Setting> table = allSettings();
    return table;
}

const Setting* findSetting(std::string_view name) {
    return findIf([&](const Setting& setting) { return setting.name == name; });
}

const Setting* findSettingOfOption(std::string_view option) {
    return option.empty() ? nullptr : findIf([&](const Setting& setting) { return setting.option == option; });
}

std::map<std::string, std::string> reportedSettings(const NodeSettings& settings, bool isNode) {
    std::map<std::string, std::string> values;
    for (const Setting& setting : settingsTable()) {
        if (setting.report == SettingReport::Everywhere || (isNode && setting.report == SettingReport::OnNodes))
            values.emplace(setting.name, setting.field.print(settings));
    }
    return values;
}

std::string settingsPage() {
    const NodeSettings defaults;
    std::string page = "| setting | default | values | meaning |\n| --- | --- | --- | --- |\n";
    for (const Setting& setting : settingsTable()) {
        std::string byDefault = setting.field.print(defaults);
        byDefault += setting.atDefault;
        page += fmt::format("| `{}` |{}{} | {} | {} |\n", setting.name, byDefault.empty() ? "" : " ", byDefault,
                            setting.field.values, setting.meaning);
    }
    return page;
}

}  // namespace pelorus
