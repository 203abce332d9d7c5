#include "apps/process/file_folders.h"

#include "apps/process/node_settings.h"
#include "common/io/file_sandbox.h"
#include "interpreter/session/modules.h"

namespace pelorus {

std::shared_ptr<FileSandbox> openFileFolders(const NodeSettings& settings) {
    FileSandbox::Options options{
        .folders = settings.fileFolders,
        .dataFolder = settings.dataFolder,
        // The contents of a data folder, which users must not open; relative paths are below it.
        .ownPaths = {"wal", "segments", "checkpoint", "quarantine", "temp", "tls", "LOCK", "LOGFOLDER", "CLUSTER",
                     "users.json", "auth", "audit.log", settings.calendarFolder, settings.lineKeys,
                     settings.log.file == "-" ? "" : settings.log.file},
        .confinesAdministrators = settings.confinesAdministrators};
    if (!settings.moduleFolder.starts_with('/'))
        FileSystem::posix().makeFolder(joinPath(settings.dataFolder, settings.moduleFolder));
    // Code of modules runs with the rights of whoever uses it.
    std::vector<std::string> elsewhere = ModuleStore(settings.moduleFolder, settings.dataFolder).folders();
    const StorageOptions& storage = settings.storage;
    elsewhere.insert(elsewhere.end(), storage.volumes.begin(), storage.volumes.end());
    elsewhere.insert(elsewhere.end(), {storage.logFolder, storage.keyFolder, settings.tlsCertificate, settings.tlsKey,
                                       settings.settingsFile});
    // Relative paths among these are below the working folder.
    for (const std::string& path : elsewhere) {
        if (!path.empty()) options.ownPaths.push_back(absolutePath(path));
    }
    return std::make_shared<FileSandbox>(std::move(options));
}

}  // namespace pelorus
