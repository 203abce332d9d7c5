#include "streaming/persistence/stored_positions.h"

namespace pelorus {

void StoredPositions::set(const std::string& topic, StreamFolder::Position position) {
    const MutexLock lock(mutex_);
    noted_[topic] = std::move(position);
}

std::optional<StreamFolder::Position> StoredPositions::get(const StreamFolder& folder, const std::string& topic) const {
    {
        const MutexLock lock(mutex_);
        if (const auto found = noted_.find(topic); found != noted_.end()) return found->second;
    }
    return folder.position(topic);
}

void StoredPositions::remove(StreamFolder& folder, const std::string& topic) {
    const MutexLock step(step_);
    {
        const MutexLock lock(mutex_);
        noted_.erase(topic);
    }
    folder.removePosition(topic);
}

void StoredPositions::forget(const std::string& table) {
    const MutexLock step(step_);
    const MutexLock lock(mutex_);
    std::erase_if(noted_, [&](const auto& noted) { return noted.first.starts_with(table + "/"); });
}

bool StoredPositions::store(StreamFolder& folder, const std::function<bool()>& writeRows) {
    const MutexLock step(step_);
    std::map<std::string, StreamFolder::Position> taken;
    {
        const MutexLock lock(mutex_);
        taken = noted_;
    }
    if (!writeRows()) return false;
    for (const auto& [topic, position] : taken) {
        folder.setPosition(topic, position);
        const MutexLock lock(mutex_);
        const auto noted = noted_.find(topic);
        if (noted != noted_.end() && noted->second.row == position.row) noted_.erase(noted);
    }
    return !taken.empty();
}

}  // namespace pelorus
