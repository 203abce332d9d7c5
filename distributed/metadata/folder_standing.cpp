#include "distributed/metadata/folder_standing.h"

#include <algorithm>
#include <sstream>

#include "common/error.h"
#include "distributed/metadata/cluster_keys.h"
#include "storage/commit/stream_commits.h"
#include "storage/folder/local_storage.h"
#include "storage/log/stamp.h"
#include "storage/log/wal_writer.h"
#include "storage/version/version_set.h"

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

namespace {

// A store's note of a folder, and the revision of the store at which it was read.
struct NoteRead {
    std::optional<MetaEntry> note;
    uint64_t revision = 0;
};

// Returns the note of a node. Keys of other nodes may begin with that of this node.
NoteRead readNote(MetaStore& store, const std::string& alias) {
    const MetaRead read = store.range(keptKey(alias));
    NoteRead found{{}, read.revision};
    for (const MetaEntry& entry : read.entries) {
        if (entry.key == keptKey(alias)) found.note = entry;
    }
    return found;
}

}  // namespace

FolderProof proofOf(const LocalStorage& storage, const std::optional<FolderIdentity>& own) {
    FolderProof proof;
    const std::vector<uint64_t> tables = storage.versions().tables();
    // Stream tables are the node's own.
    proof.isOfCluster = own.has_value() || !std::all_of(tables.begin(), tables.end(), isStreamTableId);
    if (own) {
        proof.folder = own->folder;
        proof.seen = own->revision;
        proof.noted = own->noted;
        for (const uint64_t table : tables) {
            const auto chunks = storage.versions().chunks(table);
            for (const auto& chunk : *chunks) proof.seen = std::max(proof.seen, chunk->route);
        }
    }
    proof.number = storage.versions().visible();
    return proof;
}

Standing standingIn(const FolderProof& proof, MetaStore& store, const std::string& alias) {
    const NoteRead read = readNote(store, alias);
    return standingOf(proof, read.note, read.revision, baseOf(store));
}

MetaWrite folderNote(const LocalStorage& storage, const std::string& alias) {
    const std::optional<FolderIdentity> own = readIdentity(storage.folder());
    if (!own) throw SystemError("The data folder " + storage.folder() + " belongs to no cluster.");
    // A folder whose commits do not wait for the disk promises nothing.
    const uint64_t number =
        storage.options().dataSync ? std::min(storage.versions().visible(), storage.log().syncedNumber()) : 0;
    return {keptKey(alias), KeptFolder{own->folder, number}.encode(), 0};
}

void noteFolder(LocalStorage& storage, MetaStore& store, const std::string& alias) {
    std::optional<FolderIdentity> own = readIdentity(storage.folder());
    if (!own || own->folder.empty()) return;
    const MetaWrite note = folderNote(storage, alias);
    const NoteRead read = readNote(store, alias);
    uint64_t revision = read.revision, noted = 0;
    if (read.note && read.note->value == note.value)
        noted = read.note->revision;
    else
        revision = noted = store.transact({}, {note}).revision;
    if (own->noted == noted && own->revision >= revision) return;
    own->noted = noted;
    own->revision = std::max(own->revision, revision);
    writeIdentity(storage.folder(), *own);
}

void noteStoreRevision(LocalStorage& storage, uint64_t revision) {
    std::optional<FolderIdentity> own = readIdentity(storage.folder());
    if (!own || own->revision >= revision) return;
    own->revision = revision;
    writeIdentity(storage.folder(), *own);
}

}  // namespace pelorus
