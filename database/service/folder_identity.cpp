#include "database/service/folder_identity.h"

#include <nlohmann/json.hpp>

#include "common/error.h"
#include "common/io/file.h"

namespace pelorus {

namespace {

FileSystem& files() {
    return FileSystem::posix();
}

std::string identityPath(const std::string& folder) {
    return joinPath(folder, "CLUSTER");
}

}  // namespace

std::optional<FolderIdentity> readIdentity(const std::string& folder) {
    const std::string path = identityPath(folder);
    if (!files().exists(path)) return std::nullopt;
    const auto json = nlohmann::json::parse(readWholeFile(files(), path), nullptr, false);
    FolderIdentity identity;
    if (json.is_object()) {
        identity.cluster = json.value("cluster", "");
        identity.revision = json.value("revision", uint64_t{0});
        identity.folder = json.value("folder", "");
        identity.noted = json.value("noted", uint64_t{0});
    }
    if (identity.cluster.empty())
        throw SystemError("The file " + path + ", which says what cluster the folder belongs to, is damaged.",
                          "Put it back from a copy of the folder.");
    return identity;
}

void writeIdentity(const std::string& folder, const FolderIdentity& identity) {
    const nlohmann::json json = {{"cluster", identity.cluster},
                                 {"revision", identity.revision},
                                 {"folder", identity.folder},
                                 {"noted", identity.noted}};
    replaceFile(files(), identityPath(folder), json.dump(1) + '\n');
}

void refuseFolderOfCluster(const std::string& folder) {
    const std::optional<FolderIdentity> own = readIdentity(folder);
    if (!own) return;
    throw SystemError(
        "The data folder " + folder + " belongs to the cluster " + own->cluster + ": by itself it knows no databases.",
        "Start the node with the etcdEndpoints of its cluster, or use another data folder.");
}

}  // namespace pelorus
