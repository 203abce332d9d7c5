// StreamSettings holds the settings of stream tables and subscriptions. settings_table.h says what each one does.
#pragma once

#include <string>

namespace pelorus {

// The settings of stream tables and subscriptions.
struct StreamSettings {
    std::string persistenceFolder, offsetFolder;  // accepted: rows and positions are in the data folder
    int persistenceWorkers = 1;                   // accepted: one thread writes to the log
    int maxPersistenceQueueDepth = 10'000'000;
    int maxSubQueueDepth = 10'000'000;
    int maxPubQueueDepthPerSite = 10'000'000;
    int maxMsgNumPerBlock = 1024;  // rows of one message to a client or another node
    int executors = 0;             // 0: half of the cores, at least 2
    int throttleMillis = 1;        // the least throttle of a subscription
};

}  // namespace pelorus
