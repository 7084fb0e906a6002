/// What a model leaves behind when the process dies while it uses a device.
#include "engine/session/devices/device_marks.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <thread>

#include "engine/io/mapped_file.h"
#include "engine/lab/synth.h"
#include "engine/session/conversations/scheduler.h"
#include "engine/session/devices/hang_guard.h"
#include "ingle/devices.h"
#include "tests/engine/session/faulty_backend.h"
#include "tests/engine/session/recording_sink.h"
#include "tests/opened.h"
#include "tests/temporary_folder.h"

namespace ingle::session {
namespace {

using Phase = DeviceMarks::Phase;

class MarkedDevice : public testing::Test {
  protected:
    void SetUp() override {
        m_path = m_folder.file("model.gguf");
        ASSERT_TRUE(lab::writeSynthModel({.family = "llama", .quant = "Q8_0"}, m_path));
        std::filesystem::create_directory(m_folder.file("marks"));
    }
    DeviceMarks marks() const { return {m_folder.file("marks"), "id"}; }
    /// Marks of uses that go on, in whatever process.
    ptrdiff_t underWay() const {
        return std::distance(std::filesystem::directory_iterator(m_folder.file("marks")), {}) -
               marks().deaths(Phase::Start) - marks().deaths(Phase::Work);
    }
    DeviceFactory device(test::Faults& faults) const {
        return
            [this, make = test::faultyDevices(faults)](const LoadOptions& options) -> Result<ChosenDevice> {
                ChosenDevice chosen{.marks = marks(), .use = marks().begin(Phase::Start)};
                INGLE_TRY_ASSIGN(ChosenDevice made, make(options));
                chosen.backend = std::move(made.backend);
                return chosen;
            };
    }
    Result<std::unique_ptr<Model>> load(const DeviceFactory& factory) const {
        return Model::load(test::opened(m_path), {.threads = 1, .contextTokens = 256}, nullptr, factory,
                           test::unchecked);
    }
    /// How a child process ends (as of waitpid()) that does this.
    template <typename Body>
    static int endOf(Body body) {
        const pid_t child = ::fork();
        if (child == 0) {
            body();
            ::_exit(98);
        }
        int status = 0;
        ::waitpid(child, &status, 0);
        return status;
    }
    static GenerateRequest request() {
        return {.sampler = {.temperature = 0}, .maxTokens = 8, .rawTokens = {1, 2, 3}};
    }

    test::TemporaryFolder m_folder;
    std::string m_path;
};

TEST_F(MarkedDevice, theStartEndsWithTheFirstStep) {
    test::Faults faults;
    bool marked = false;
    const auto model = load([&](const LoadOptions& options) {
        auto chosen = device(faults)(options);
        marked = underWay() == 1;
        return chosen;
    });
    ASSERT_TRUE(model);
    EXPECT_TRUE(marked);
    EXPECT_EQ(faults.run.calls, 1);
    EXPECT_EQ(faults.readOutput.calls, 1);
    EXPECT_EQ(underWay(), 0);
}

TEST_F(MarkedDevice, aDeviceThatFailsAtItsFirstStepIsNotUsed) {
    for (test::FaultyCall test::Faults::*call : {&test::Faults::run, &test::Faults::readOutput}) {
        test::Faults faults;
        (faults.*call).failing = {0};
        const auto model = load(device(faults));
        ASSERT_TRUE(model);
        EXPECT_EQ((*model)->info().backend, "cpu");
        EXPECT_EQ((*model)->info().deviceNote,
                  "The graphics device is not used, so the processor computes: call 0 failed");
        // It failed in order: nobody died.
        EXPECT_EQ(underWay(), 0);
        EXPECT_EQ(marks().deaths(Phase::Start), 0);
    }
}

TEST_F(MarkedDevice, workIsMarkedAsLongAsThereIsAny) {
    test::Faults faults;
    const auto model = load(device(faults)).value();
    marks().condemn();
    EXPECT_TRUE(marks().blamed());
    Scheduler scheduler(*model, nullptr);
    for (int i = 0; i < 2; ++i) {
        test::RecordingSink sink;
        scheduler.submit(request(), sink);
        while (scheduler.step()) EXPECT_EQ(underWay(), 1);
        EXPECT_TRUE(sink.result);
        EXPECT_EQ(underWay(), 0);
        EXPECT_FALSE(marks().blamed());  // it ended well
    }
}

TEST_F(MarkedDevice, workOnADeviceThatWasLeftIsNotMarked) {
    test::Faults faults;
    faults.run.failing = {3};
    const auto model = load(device(faults)).value();
    marks().condemn();
    Scheduler scheduler(*model, nullptr);
    test::RecordingSink sink;
    scheduler.submit(request(), sink);
    while (sink.devices.empty()) ASSERT_TRUE(scheduler.step());
    while (scheduler.step()) EXPECT_EQ(underWay(), 0);
    EXPECT_TRUE(sink.result);
    EXPECT_TRUE(marks().blamed());  // an answer that ends elsewhere says nothing about the device
}

TEST_F(MarkedDevice, aProcessThatDiesLeavesItsMark) {
    const struct {
        const char* name;
        Phase phase;
        bool answers;
    } cases[] = {{"while loading", Phase::Start, false}, {"while answering", Phase::Work, true}};
    for (const auto& [name, phase, answers] : cases) {
        SCOPED_TRACE(name);
        const int status = endOf([&] {
            test::Faults faults;
            const auto model = load([&](const LoadOptions& options) {
                auto chosen = device(faults)(options);
                if (!answers) ::raise(SIGKILL);
                return chosen;
            });
            Scheduler scheduler(**model, nullptr);
            test::RecordingSink sink;
            scheduler.submit(request(), sink);
            while (sink.ids.size() < 3) scheduler.step();
            ::raise(SIGKILL);
        });
        ASSERT_TRUE(WIFSIGNALED(status));
        EXPECT_EQ(marks().deaths(phase), 1);
        EXPECT_EQ(underWay(), 0);
        marks().forgive();
        EXPECT_EQ(marks().deaths(phase), 0);
    }
}

TEST_F(MarkedDevice, theSignalTellsWhoseFaultADeathWas) {
    const struct {
        int signal;
        int deaths;
        bool blamed;
    } cases[] = {
        {SIGSEGV, 1, true}, {SIGBUS, 1, true},   {SIGILL, 1, true},  {SIGFPE, 1, true},
        {SIGABRT, 1, true}, {SIGTRAP, 1, true},  {SIGSYS, 1, true},  {SIGKILL, 1, false},
        {SIGINT, 0, false}, {SIGTERM, 0, false}, {SIGHUP, 0, false},
    };
    for (const auto& [signal, deaths, blamed] : cases) {
        for (const Phase phase : {Phase::Start, Phase::Work}) {
            SCOPED_TRACE(fmt::format("signal {}, phase {}", signal, static_cast<int>(phase)));
            const int status = endOf([&, signal = signal] {
                // A sanitizer may handle it, and whoever runs the tests may ignore it.
                ::signal(signal, SIG_DFL);
                const auto use = marks().begin(phase);
                ::raise(signal);
            });
            EXPECT_TRUE(WIFSIGNALED(status));
            EXPECT_EQ(WTERMSIG(status), signal);
            EXPECT_EQ(marks().deaths(phase), deaths);
            EXPECT_EQ(marks().blamed(), blamed);
            EXPECT_EQ(underWay(), 0);
            marks().forgive();
        }
    }
}

TEST_F(MarkedDevice, aCrashAfterAUseIsNotItsFault) {
    const int status = endOf([&] {
        ::signal(SIGSEGV, SIG_DFL);
        auto first = marks().begin(Phase::Start);
        auto second = marks().begin(Phase::Work);
        first.reset();
        second.reset();
        ::raise(SIGSEGV);
    });
    EXPECT_TRUE(WIFSIGNALED(status));
    EXPECT_TRUE(std::filesystem::is_empty(m_folder.file("marks")));
}

TEST_F(MarkedDevice, aSignalThatSomebodyHandlesIsTheirs) {
    const int status = endOf([&] {
        ::signal(SIGBUS, [](int) { ::_exit(3); });
        const auto use = marks().begin(Phase::Start);
        ::raise(SIGBUS);
    });
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 3);
    EXPECT_FALSE(marks().blamed());
}

/// As the programs do that report a model file which was cut short.
TEST_F(MarkedDevice, aBusErrorIsTheFilesFaultOrTheDrivers) {
    const std::string file = m_folder.file("file");
    for (const bool isFile : {true, false}) {
        std::ofstream(file) << std::string(10'000, 'x');
        const int status = endOf([&] {
            struct sigaction action {};
            action.sa_flags = SA_SIGINFO;
            action.sa_sigaction = [](int, siginfo_t* info, void*) {
                endUnlessModelFile(info->si_addr);
                ::_exit(3);
            };
            ::sigaction(SIGBUS, &action, nullptr);
            const auto use = marks().begin(Phase::Start);
            const auto mapped = io::MappedFile::open(file).value();
            if (!isFile) ::raise(SIGBUS);
            std::filesystem::resize_file(file, 1);
            ::_exit(static_cast<int>(mapped->bytes()[9000]));
        });
        EXPECT_EQ(WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status), isFile ? 3 : -SIGBUS);
        EXPECT_EQ(marks().blamed(), !isFile);
        EXPECT_EQ(marks().deaths(Phase::Start), isFile ? 0 : 1);
    }
}

TEST_F(MarkedDevice, aProcessThatEndsInOrderLeavesNoMark) {
    const int status = endOf([&] {
        const auto start = marks().begin(Phase::Start);
        const auto work = marks().begin(Phase::Work);
        if (underWay() != 2) ::_exit(97);
        std::thread([] {
            withdrawDeviceUses();
            ::_exit(0);
        }).detach();
        for (;;) ::pause();  // stuck in the driver
    });
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 0);
    EXPECT_TRUE(std::filesystem::is_empty(m_folder.file("marks")));
}

TEST_F(MarkedDevice, aHangIsTheDriversFault) {
    const int status = endOf([&] {
        const auto use = marks().begin(Phase::Start);
        const HangGuard guard(std::chrono::milliseconds(20));
        for (;;) ::pause();
    });
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), HangGuard::kExitStatus);
    EXPECT_TRUE(marks().blamed());
}

TEST_F(MarkedDevice, aFolderThatCannotBeWrittenMarksNothing) {
    const DeviceMarks nowhere("/nowhere/at/all", "id");
    EXPECT_FALSE(nowhere.begin(Phase::Start));
    EXPECT_EQ(nowhere.deaths(Phase::Start), 0);
    nowhere.condemn();
    nowhere.forgive();
    EXPECT_FALSE(nowhere.blamed());
}

TEST(HangGuard, aHangEndsTheProcess) {
    testing::GTEST_FLAG(death_test_style) = "threadsafe";
    EXPECT_EXIT(
        {
            const HangGuard guard(std::chrono::milliseconds(20));
            for (;;) ::pause();
        },
        testing::ExitedWithCode(HangGuard::kExitStatus), "hangs");
}

TEST(HangGuard, whatEndsInTimeDoesNot) {
    for (int i = 0; i < 100; ++i) const HangGuard guard(std::chrono::seconds(60));
}

}  // namespace
}  // namespace ingle::session
