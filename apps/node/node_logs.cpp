#include "apps/node/node_logs.h"

#include <filesystem>

#include "apps/process/node_settings.h"
#include "common/check.h"
#include "common/io/audit.h"
#include "common/log.h"
#include "database/service/node_identity.h"

namespace pelorus {

NodeLog::NodeLog(const NodeSettings& settings) {
    LogOptions options = settings.log;
    if (options.file == "-") {
        options.file.clear();
    } else {
        const std::filesystem::path file = std::filesystem::path(settings.dataFolder) / options.file;
        std::filesystem::create_directories(file.parent_path());
        options.file = file.string();
    }
    configureLog(options);
    logInfo("server", "starting",
            {{"data", settings.dataFolder}, {"host", settings.host}, {"port", settings.port}, {"dev", settings.dev}});
}

NodeAudit::NodeAudit(const NodeSettings& settings, const ServedFolder&, const NodeIdentity& identity) {
    if (!settings.enableAuditLog) return;
    CHECK(!identity.alias.empty()) << "each line of the audit log has the alias of the node";
    configureAudit({.file = (std::filesystem::path(settings.dataFolder) / "audit.log").string(),
                    .rotateBytes = settings.auditRotateBytes,
                    .keptFiles = settings.auditKeptFiles,
                    .node = identity.alias});
}

}  // namespace pelorus
