#include "distributed/metadata/folder_standing.h"

#include <sstream>

#include "common/error.h"
#include "storage/log/stamp.h"

namespace pelorus {

std::string keptKey(const std::string& alias) {
    return kKeptPrefix + alias;
}

std::string KeptFolder::encode() const {
    return folder + ' ' + std::to_string(number);
}

KeptFolder KeptFolder::decode(const std::string& value) {
    std::istringstream stream(value);
    KeptFolder kept;
    if (!(stream >> kept.folder >> kept.number))
        throw SystemError("The metadata store's note of a data folder does not read: " + value + ".");
    return kept;
}

Standing standingOf(const FolderProof& proof, const std::optional<MetaEntry>& kept, uint64_t revision, uint64_t base) {
    if (proof.seen > revision) return Standing::StoreIsOlder;
    // A store that was set back may have grown past the revisions that the folder has seen, but not its note.
    if (proof.noted > (kept ? kept->revision : 0)) return Standing::StoreIsOlder;
    if (proof.number > stamp::lastSeenAt(revision, base)) return Standing::StoreIsOlder;
    if (!kept) return proof.isOfCluster ? Standing::Whole : Standing::Lost;
    const KeptFolder had = KeptFolder::decode(kept->value);
    return had.folder == proof.folder && had.number <= proof.number ? Standing::Whole : Standing::Lost;
}

}  // namespace pelorus
