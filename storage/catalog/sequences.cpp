#include "storage/catalog/sequences.h"

#include <algorithm>
#include <random>

#include <fmt/format.h>

#include "common/error.h"
#include "common/io/bytes.h"

namespace pelorus {

// Keys. In files: never change.
//   sequence/<path>\n<name>    a SequenceEntry
static std::string prefixOf(const std::string& database) {
    return "sequence/" + database + "\n";
}
static std::string keyOf(const std::string& database, const std::string& name) {
    return prefixOf(database) + name;
}

static constexpr uint8_t kVersion = 1;
static constexpr int64_t kTakenAtOnce = 32;
// Sessions whose numbers are known: the oldest ones are forgotten.
static constexpr size_t kMostSessions = 16'384;

static std::string encode(const SequenceEntry& sequence) {
    std::string bytes;
    ByteWriter writer(bytes);
    writer.fixed(kVersion);
    for (const int64_t number : {sequence.start, sequence.increment, sequence.minimum, sequence.maximum, sequence.next})
        writer.fixed(number);
    writer.fixed<uint8_t>(sequence.cycles);
    writer.fixed<uint8_t>(sequence.isEnded);
    writer.fixed(static_cast<uint8_t>(sequence.bytes));
    writer.fixed(sequence.generation);
    writer.varint(sequence.ownerTable);
    writer.string(sequence.ownerColumn);
    return bytes;
}

static SequenceEntry decode(const MetaEntry& entry) {
    SequenceEntry sequence;
    const size_t begin = std::string_view("sequence/").size();
    const size_t border = entry.key.find('\n');
    sequence.database = entry.key.substr(begin, border - begin);
    sequence.name = entry.key.substr(border + 1);
    sequence.revision = entry.revision;
    ByteReader reader(entry.value);
    const auto version = reader.fixed<uint8_t>();
    if (version == 0 || version > kVersion)
        throw SystemError("The sequence " + sequence.name + " was made by a newer version of Pelorus.");
    for (int64_t* number : {&sequence.start, &sequence.increment, &sequence.minimum, &sequence.maximum, &sequence.next})
        *number = reader.fixed<int64_t>();
    sequence.cycles = reader.fixed<uint8_t>() != 0;
    sequence.isEnded = reader.fixed<uint8_t>() != 0;
    sequence.bytes = reader.fixed<uint8_t>();
    sequence.generation = reader.fixed<uint64_t>();
    sequence.ownerTable = reader.varint();
    sequence.ownerColumn = reader.string();
    return sequence;
}

// A number that no other generation of any sequence has, but by chance.
static uint64_t newGeneration() {
    std::random_device random;
    return (static_cast<uint64_t>(random()) << 32) ^ random();
}

static UserError noSuchSequence(const std::string& name) {
    return UserError(fmt::format("<NoSuchSequence>There is no sequence {}.", name));
}

// Moves `next` behind a number.
static void stepBehind(SequenceEntry& sequence, int64_t number) {
    int64_t next = 0;
    const bool isBeyond =
        __builtin_add_overflow(number, sequence.increment, &next) || next > sequence.maximum || next < sequence.minimum;
    sequence.isEnded = isBeyond && !sequence.cycles;
    sequence.next = !isBeyond ? next : sequence.increment > 0 ? sequence.minimum : sequence.maximum;
}

void Sequences::create(SequenceEntry sequence) {
    const std::string key = keyOf(sequence.database, sequence.name);
    sequence.generation = newGeneration();
    if (store_().transact({{key, 0}}, {{key, encode(sequence), 0}}).done) return;
    throw UserError(fmt::format("<DuplicateName>The sequence {} exists already.", sequence.name));
}

std::optional<SequenceEntry> Sequences::find(const std::string& database, const std::string& name) const {
    const std::optional<MetaEntry> entry = store_().get(keyOf(database, name));
    if (!entry) return std::nullopt;
    return decode(*entry);
}

std::vector<SequenceEntry> Sequences::all(const std::string& database) const {
    std::vector<SequenceEntry> sequences;
    for (const MetaEntry& entry : store_().range(prefixOf(database)).entries) sequences.push_back(decode(entry));
    return sequences;
}

std::shared_ptr<Sequences::Taken> Sequences::takenOf(const Key& key) {
    const MutexLock guard(mutex_);
    std::shared_ptr<Taken>& taken = taken_[key];
    if (!taken) taken = std::make_shared<Taken>();
    return taken;
}

// Forgets what has no numbers: there may be no sequence of the name.
void Sequences::forget(const Key& key, const std::shared_ptr<Taken>& taken) {
    const MutexLock guard(mutex_);
    const auto known = taken_.find(key);
    if (known != taken_.end() && known->second == taken) taken_.erase(known);
}

// Gives numbers back that were taken and not given, where nobody has taken later ones.
void Sequences::giveBack(const Taken& taken, SequenceEntry& sequence) {
    if (taken.generation != sequence.generation || taken.given == taken.numbers.size()) return;
    SequenceEntry behind = sequence;
    stepBehind(behind, taken.numbers.back());
    if (behind.next != sequence.next || behind.isEnded != sequence.isEnded) return;
    sequence.next = taken.numbers[taken.given];
    sequence.isEnded = false;
}

void Sequences::change(const std::string& database, const std::string& name,
                       const std::function<void(SequenceEntry& sequence)>& change) {
    const std::string key = keyOf(database, name);
    const std::shared_ptr<Taken> taken = takenOf({database, name});
    const MutexLock guard(taken->mutex);
    for (;;) {
        std::optional<SequenceEntry> sequence = find(database, name);
        if (!sequence) {
            forget({database, name}, taken);
            throw noSuchSequence(name);
        }
        giveBack(*taken, *sequence);
        change(*sequence);
        sequence->generation = newGeneration();
        if (!store_().transact({{key, sequence->revision}}, {{key, encode(*sequence), 0}}).done) continue;
        taken->numbers.clear();
        taken->given = 0;
        return;
    }
}

void Sequences::drop(const std::string& database, const std::string& name) {
    const std::string key = keyOf(database, name);
    if (!store_().get(key)) throw noSuchSequence(name);
    store_().transact({}, {{key, std::nullopt, 0}});
}

// Takes as many numbers as are missing, and up to 32. Where they end earlier, those that are left.
void Sequences::refill(const Key& key, Taken& taken, int64_t count) const {
    const std::string stored = keyOf(key.first, key.second);
    for (;;) {
        std::optional<SequenceEntry> sequence = find(key.first, key.second);
        if (!sequence) throw noSuchSequence(key.second);
        if (taken.generation != sequence->generation) {
            taken.generation = sequence->generation;
            taken.numbers.clear();
            taken.given = 0;
        }
        taken.numbers.erase(taken.numbers.begin(), taken.numbers.begin() + static_cast<std::ptrdiff_t>(taken.given));
        taken.given = 0;
        const int64_t missing = count - static_cast<int64_t>(taken.numbers.size());
        if (missing <= 0) return;
        std::vector<int64_t> more;
        for (int64_t i = 0; i < std::max(missing, kTakenAtOnce) && !sequence->isEnded; ++i) {
            more.push_back(sequence->next);
            stepBehind(*sequence, sequence->next);
        }
        if (static_cast<int64_t>(more.size()) < missing) {
            throw UserError(fmt::format("<SequenceEnd>nextval: reached {} value of sequence \"{}\" ({})",
                                        sequence->increment > 0 ? "maximum" : "minimum", key.second,
                                        sequence->increment > 0 ? sequence->maximum : sequence->minimum));
        }
        if (!store_().transact({{stored, sequence->revision}}, {{stored, encode(*sequence), 0}}).done) continue;
        taken.numbers.insert(taken.numbers.end(), more.begin(), more.end());
        return;
    }
}

void Sequences::note(const Key& key, int64_t value, int64_t session) {
    SessionNumbers& numbers = sessions_[session];
    numbers.last[key] = value;
    numbers.newest = key;
    if (sessions_.size() > kMostSessions) sessions_.erase(sessions_.begin());
}

std::vector<int64_t> Sequences::take(const std::string& database, const std::string& name, int64_t count,
                                     int64_t session) {
    const Key key(database, name);
    const std::shared_ptr<Taken> taken = takenOf(key);
    std::vector<int64_t> numbers;
    {
        const MutexLock guard(taken->mutex);
        try {
            refill(key, *taken, count);
        } catch (const UserError&) {
            if (taken->numbers.empty()) forget(key, taken);
            throw;
        }
        const auto begin = taken->numbers.begin() + static_cast<std::ptrdiff_t>(taken->given);
        numbers.assign(begin, begin + static_cast<std::ptrdiff_t>(count));
        taken->given += static_cast<size_t>(count);
    }
    const MutexLock guard(mutex_);
    if (count > 0) note(key, numbers.back(), session);
    return numbers;
}

void Sequences::set(const std::string& database, const std::string& name, int64_t value, bool isGiven,
                    int64_t session) {
    change(database, name, [&](SequenceEntry& sequence) {
        if (value < sequence.minimum || value > sequence.maximum)
            throw UserError(fmt::format("<OutOfRange>setval: value {} is out of bounds for sequence \"{}\" ({}..{})",
                                        value, name, sequence.minimum, sequence.maximum));
        sequence.next = value;
        sequence.isEnded = false;
        if (isGiven) stepBehind(sequence, value);
    });
    if (!isGiven) return;
    const MutexLock guard(mutex_);
    const auto known = sessions_.find(session);
    const Key newest = known == sessions_.end() ? Key(database, name) : known->second.newest;
    note({database, name}, value, session);
    if (!newest.second.empty()) sessions_[session].newest = newest;
}

int64_t Sequences::current(const std::string& database, const std::string& name, int64_t session) const {
    if (!find(database, name)) throw noSuchSequence(name);
    const MutexLock guard(mutex_);
    const auto known = sessions_.find(session);
    if (known != sessions_.end()) {
        const auto number = known->second.last.find({database, name});
        if (number != known->second.last.end()) return number->second;
    }
    throw UserError(fmt::format("<NotYetDefined>currval of sequence \"{}\" is not yet defined in this session", name));
}

int64_t Sequences::last(int64_t session) const {
    const MutexLock guard(mutex_);
    const auto known = sessions_.find(session);
    if (known != sessions_.end()) {
        const auto number = known->second.last.find(known->second.newest);
        if (number != known->second.last.end()) return number->second;
    }
    throw UserError("<NotYetDefined>lastval is not yet defined in this session");
}

std::vector<MetaWrite> removalsOfSequences(MetaStore& store, const std::string& database, uint64_t ownerTable) {
    std::vector<MetaWrite> removals;
    for (const MetaEntry& entry : store.range(prefixOf(database)).entries) {
        if (ownerTable == 0 || decode(entry).ownerTable == ownerTable) removals.push_back({entry.key, std::nullopt, 0});
    }
    return removals;
}

}  // namespace pelorus
