/// Does what a user of the storage must not: reads in one thread what `then` writes in another.
/// ThreadSanitizer has to complain.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "app/history/chats/conversations.h"
#include "app/storage/storage.h"

int main() {
    using namespace ingle;
    std::string folder = (std::filesystem::temp_directory_path() / "ingle-race-XXXXXX").string();
    if (::mkdtemp(folder.data()) == nullptr) return 2;
    size_t conversations = 7;  // shared without a lock
    std::atomic<bool> over = false;
    {
        storage::Storage storage(folder);
        storage.run([](history::HistoryReader& reader) { return history::conversations(reader); },
                    [&](const Result<std::vector<history::Conversation>>& list) {
                        conversations = list ? list->size() : 0;
                        over.store(true, std::memory_order_relaxed);
                    });
        while (!over.load(std::memory_order_relaxed)) std::this_thread::yield();
        std::printf("%zu\n", conversations);
    }
    std::filesystem::remove_all(folder);
    return 0;
}
