#include "apps/process/node_settings.h"

#include <charconv>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <map>
#include <sstream>

#include "common/error.h"
#include "common/language_settings.h"
#include "net/host_name.h"

namespace pelorus {
namespace {

int numberOf(const std::string& name, const std::string& text, int low, int high) {
    int number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size() || number < low || number > high) {
        throw UserError(name + " must be a number from " + std::to_string(low) + " to " + std::to_string(high) +
                        ", but it is '" + text + "'.");
    }
    return number;
}

double gigabytesOf(const std::string& name, const std::string& text) {
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size() || !(number >= 0 && number <= 1 << 20)) {
        throw UserError(name + " must be a number of GB, as in 4 or 0.5, but it is '" + text + "'.");
    }
    return number;
}

double shareOf(const std::string& name, const std::string& text) {
    double share = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), share);
    if (error != std::errc() || end != text.data() + text.size() || !(share > 0 && share <= 1))
        throw UserError(name + " must be a share between 0 and 1, as in 0.97, but it is '" + text + "'.");
    return share;
}

bool truthOf(const std::string& name, const std::string& text) {
    if (text == "true" || text == "1") return true;
    if (text == "false" || text == "0") return false;
    throw UserError(name + " must be true or false, but it is '" + text + "'.");
}

std::vector<std::string> listOf(const std::string& text) {
    std::vector<std::string> items;
    std::istringstream stream(text);
    for (std::string item; std::getline(stream, item, ',');) {
        if (!item.empty()) items.push_back(item);
    }
    return items;
}

std::string trimmed(const std::string& text) {
    const size_t begin = text.find_first_not_of(" \t\r");
    const size_t end = text.find_last_not_of(" \t\r");
    return begin == std::string::npos ? "" : text.substr(begin, end - begin + 1);
}

std::vector<std::string> trimmedListOf(const std::string& text) {
    std::vector<std::string> items;
    for (const std::string& item : listOf(text)) {
        if (std::string name = trimmed(item); !name.empty()) items.push_back(std::move(name));
    }
    return items;
}

// Returns whether administrators may open files in the file folders only.
bool adminFilesOf(const std::string& name, const std::string& text) {
    if (text == "any") return false;
    if (text == "folders") return true;
    throw UserError("The setting " + name + " must be any or folders, but it is " + text + ".");
}

OutsidePolicy policyOf(const std::string& name, const std::string& text) {
    if (text == "skip") return OutsidePolicy::Skip;
    if (text == "fail") return OutsidePolicy::Fail;
    if (text == "add") return OutsidePolicy::Add;
    throw UserError("The setting " + name + " must be skip, fail or add, but it is " + text + ".");
}

LogFormat logFormatOf(const std::string& name, const std::string& text) {
    if (text == "text") return LogFormat::Text;
    if (text == "json") return LogFormat::Json;
    throw UserError("The setting " + name + " must be text or json, but it is " + text + ".");
}

std::string lineDatabaseOf(const std::string& name, const std::string& text) {
    if (text.starts_with("dfs://") && text.size() > 6) return text;
    throw UserError("The setting " + name + " must be a database such as dfs://ilp, but it is " + text + ".");
}

// Assigns a setting by name; returns false when there is no setting of that name.
bool assign(NodeSettings& s, const std::string& name, const std::string& text) {
    using Setter = std::function<void()>;
    LanguageSettings& language = languageSettings();
    const std::map<std::string, Setter> setters = {
        {"host", [&] { s.host = text; }},
        {"advertise", [&] { s.advertised = text; }},
        {"port", [&] { s.port = numberOf(name, text, 0, 65535); }},
        {"dataDir", [&] { s.dataFolder = text; }},
        {"alias", [&] { s.alias = text; }},
        {"moduleDir", [&] { s.moduleFolder = text; }},
        {"fileFolders", [&] { s.fileFolders = trimmedListOf(text); }},
        {"adminFiles", [&] { s.confinesAdministrators = adminFilesOf(name, text); }},
        {"logLevel", [&] { s.log.level = logLevelOf(text); }},
        {"logFile", [&] { s.log.file = text; }},
        {"logFormat", [&] { s.log.format = logFormatOf(name, text); }},
        {"maxLogSize", [&] { s.log.rotateBytes = int64_t{numberOf(name, text, 1, 1 << 20)} << 20; }},
        {"enableAuditLog", [&] { s.enableAuditLog = truthOf(name, text); }},
        {"auditLogSize", [&] { s.auditRotateBytes = int64_t{numberOf(name, text, 1, 1 << 20)} << 20; }},
        {"auditLogFiles", [&] { s.auditKeptFiles = numberOf(name, text, 0, 1000); }},
        {"enhancedSecurityVerification", [&] { s.enhancedSecurity = truthOf(name, text); }},
        {"marketHolidayDir", [&] { s.calendarFolder = text; }},
        {"dev", [&] { s.dev = truthOf(name, text); }},
        {"adminPassword", [&] { s.adminPassword = text; }},
        {"guestsMayRun", [&] { s.guestsMayRun = truthOf(name, text); }},
        {"allowedHosts", [&] { s.allowedHosts = listOf(text); }},
        {"allowedOrigins", [&] { s.allowedOrigins = listOf(text); }},
        {"enableHTTPS", [&] { s.offersTls = truthOf(name, text); }},
        {"requireTls", [&] { s.requireTls = truthOf(name, text); }},
        {"tlsCertificate", [&] { s.tlsCertificate = text; }},
        {"tlsKey", [&] { s.tlsKey = text; }},
        {"maxConnections", [&] { s.maxConnections = numberOf(name, text, 1, 10000); }},
        {"maxRequestBytes",
         [&] { s.maxRequestBytes = static_cast<int64_t>(gigabytesOf(name, text) * (int64_t{1} << 30)); }},
        {"maxMemSize", [&] { s.maxMemoryGigabytes = gigabytesOf(name, text); }},
        {"maxBatchJobWorker", [&] { s.batchWorkers = numberOf(name, text, 1, 256); }},
        {"memLimitOfQueryResult", [&] { s.maxResultGigabytes = gigabytesOf(name, text); }},
        {"maxQueryExecutionTime", [&] { s.maxRequestSeconds = numberOf(name, text, 0, 1'000'000'000); }},
        {"etcdEndpoints", [&] { s.etcdEndpoints = listOf(text); }},
        {"clusterName", [&] { s.clusterName = text; }},
        {"maxStaleness", [&] { s.maxStalenessSeconds = numberOf(name, text, 0, 86400); }},
        {"dfsReplicationFactor", [&] { s.replicationFactor = numberOf(name, text, 1, 5); }},
        {"dataSync", [&] { s.storage.dataSync = truthOf(name, text); }},
        {"volumes", [&] { s.storage.volumes = listOf(text); }},
        {"volumeUsageThreshold", [&] { s.storage.volumeUsageThreshold = shareOf(name, text); }},
        {"TDEKeyDir", [&] { s.storage.keyFolder = text; }},
        {"redoLogDir", [&] { s.storage.logFolder = text; }},
        {"redoLogPurgeLimit",
         [&] { s.storage.checkpointBytes = static_cast<int64_t>(gigabytesOf(name, text) * (1 << 30)); }},
        {"redoLogPurgeInterval", [&] { s.storage.checkpointSeconds = numberOf(name, text, 0, 86400); }},
        {"writeCacheSize",
         [&] { s.storage.writeCacheBytes = static_cast<int64_t>(gigabytesOf(name, text) * (1 << 30)); }},
        {"appendConflict",
         [&] {
             if (text != "wait" && text != "fail") {
                 throw UserError("The setting appendConflict must be wait or fail, but it is " + text + ".");
             }
             s.outside.failOnConflict = text == "fail";
         }},
        {"allowMissingPartitions", [&] { s.outside.allowMissing = truthOf(name, text); }},
        {"newValuePartitionPolicy",
         [&] {
             s.outside.newValues = policyOf(name, text);
             s.choosesNewValues = true;
         }},
        {"ilpDatabase", [&] { s.lineDatabase = lineDatabaseOf(name, text); }},
        {"ilpUser", [&] { s.lineUser = text; }},
        {"ilpKeys", [&] { s.lineKeys = text; }},
        {"ilpPort", [&] { s.linePort = numberOf(name, text, 0, 65535); }},
        {"clusterKey", [&] { s.clusterKey = text; }},
        {"parseDecimalAsFloatingNumber", [&] { language.parseDecimalAsFloatingNumber = truthOf(name, text); }},
        {"appendTupleAsAWhole", [&] { language.appendTupleAsAWhole = truthOf(name, text); }},
        {"enableShellFunction", [&] { language.enableShellFunction = truthOf(name, text); }},
        {"enableInsertStatementForDFSTable", [&] { language.enableInsertStatementForDFSTable = truthOf(name, text); }},
        {"enableSharedVarCreationControl", [&] { language.enableSharedVarCreationControl = truthOf(name, text); }},
        {"processVectorFunctionOverTupleByRow",
         [&] { language.processVectorFunctionOverTupleByRow = truthOf(name, text); }},
    };
    const auto setter = setters.find(name);
    if (setter == setters.end()) return false;
    setter->second();
    return true;
}

void readFile(NodeSettings& settings, const std::string& path) {
    std::ifstream file(path);
    if (!file) throw UserError("The settings cannot be read from " + path + ".");
    int number = 0;
    for (std::string line; std::getline(file, line);) {
        ++number;
        line = trimmed(line.substr(0, line.find('#')));
        if (line.empty()) continue;
        const size_t equals = line.find('=');
        const std::string name = trimmed(line.substr(0, equals));
        if (equals == std::string::npos || !assign(settings, name, trimmed(line.substr(equals + 1)))) {
            throw UserError(path + ":" + std::to_string(number) + ": there is no setting " + name + ".",
                            "A line is name=value; docs/operations.md lists the settings.");
        }
    }
}

}  // namespace

NodeSettings parseNodeSettings(const std::vector<std::string>& arguments) {
    static const std::map<std::string, std::string> kOptions = {{"--port", "port"},
                                                                {"--data", "dataDir"},
                                                                {"--host", "host"},
                                                                {"--alias", "alias"},
                                                                {"--module-dir", "moduleDir"}};
    NodeSettings settings;
    for (size_t i = 0; i < arguments.size(); ++i) {
        const std::string& option = arguments[i];
        if (option == "--dev") {
            settings.dev = true;
            continue;
        }
        if (i + 1 == arguments.size() || (option != "--config" && !kOptions.count(option))) {
            throw UserError("pelorus serve does not understand " + option + ".",
                            "Use pelorus serve [--config FILE] [--port N] [--data DIR] [--host ADDRESS] [--dev].");
        }
        const std::string& value = arguments[++i];
        if (option == "--config") {
            readFile(settings, value);
            settings.settingsFile = value;
        } else {
            assign(settings, kOptions.at(option), value);
        }
    }
    if (settings.dataFolder.empty()) {
        const char* home = std::getenv("HOME");
        settings.dataFolder = std::string(home ? home : ".") + "/.pelorus";
    }
    if (settings.dev) settings.guestsMayRun = true;
    if (settings.dev && !settings.choosesNewValues) settings.outside.newValues = OutsidePolicy::Add;
    if (settings.linePort >= 0 && settings.lineUser.empty() && settings.lineKeys.empty() && !settings.dev)
        throw UserError("The setting ilpPort needs ilpUser or ilpKeys: lines over TCP do not say who writes them.",
                        "Name a user who may create and fill the tables of ilpDatabase, or a file of senders' keys.");
    // Its password is known to everybody.
    if (settings.dev && settings.host != "localhost" && !isLoopbackAddress(settings.host)) {
        throw UserError("A server with --dev listens on this machine only, not on " + settings.host + ".",
                        "Leave --host out, or serve without --dev.");
    }
    return settings;
}

NodeSettings readNodeSettings(const std::string& path) {
    NodeSettings settings;
    readFile(settings, path);
    return settings;
}

}  // namespace pelorus
