/// Does what a user of the history must not: asks a connection in one thread while it works in another.
/// ThreadSanitizer has to complain.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "app/history/opening.h"
#include "app/history/trash/shredding.h"

int main() {
    using namespace ingle;
    std::string folder = (std::filesystem::temp_directory_path() / "ingle-race-XXXXXX").string();
    if (::mkdtemp(folder.data()) == nullptr) return 2;
    {
        const auto history = history::openHistory(folder + "/history.sqlite");
        if (!history) return 2;
        std::atomic<bool> over = false;
        std::thread works([&] {
            auto state = history::shredSlice(**history, std::chrono::milliseconds(1));
            while (state && *state == history::ShredState::Working)
                state = history::shredSlice(**history, std::chrono::milliseconds(1));
            over.store(true, std::memory_order_relaxed);
        });
        bool mayShred = true;
        do mayShred = (*history)->mayShred();
        while (!over.load(std::memory_order_relaxed));
        mayShred = (*history)->mayShred();
        works.join();
        std::printf("%d\n", mayShred ? 1 : 0);
    }
    std::filesystem::remove_all(folder);
    return 0;
}
