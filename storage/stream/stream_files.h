// LocalStreamFolder keeps the rows of stream tables in the data folder of the node: implements
// runtime/append/stream_store.h.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "common/thread/mutex.h"
#include "runtime/append/stream_store.h"
#include "storage/folder/local_storage.h"

namespace pelorus {

// The stream tables of a data folder. The rows of one are a chunk of a table that no catalog knows, with one column
// more, the time of arrival, which tells the appends apart; what is noted about it are keys of the folder's metadata
// store. Row number = noted number of the first row + position in the chunk. One object for each open folder.
class LocalStreamFolder final : public StreamFolder {
public:
    explicit LocalStreamFolder(std::shared_ptr<LocalStorage> storage) : storage_(std::move(storage)) {}

    std::vector<std::string> names() const override;
    std::shared_ptr<StreamStore> find(const std::string& name) const override;
    std::shared_ptr<StreamStore> make(const std::string& name, const TableSchema& columns, const std::string& owner,
                                      int64_t first) override;
    void remove(const std::string& name) override;
    std::optional<Position> position(const std::string& topic) const override;
    void setPosition(const std::string& topic, const Position& position) override;
    void removePosition(const std::string& topic) override;
    void sync() override;
    std::string path() const override { return storage_->folder(); }

private:
    const std::shared_ptr<LocalStorage> storage_;
    Mutex mutex_;  // orders steps: one store is made or removed at a time
};

}  // namespace pelorus
