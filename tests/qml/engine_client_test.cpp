/// The engine client against a fake host that dies, lies and dawdles.
#include "app/desktop/services/engine_client.h"

#include <QSignalSpy>
#include <QTemporaryDir>
#include <QtTest>

#include <csignal>
#include <numeric>

#include "app/protocol/framing.h"
#include "tests/qml/suite.h"

using namespace ingle;
using namespace ingle::desktop;

namespace {

/// Everything one client said.
struct Heard {
    explicit Heard(EngineClient& client) {
        QObject::connect(&client, &EngineClient::loadFailed, &context,
                         [this](const Error& e) { failure = e; });
        QObject::connect(&client, &EngineClient::loaded, &context, [this](const ModelInfo& i) { info = i; });
        QObject::connect(&client, &EngineClient::restarted, &context,
                         [this](Recovery r) { recoveries.append(r); });
        QObject::connect(&client, &EngineClient::deviceChanged, &context,
                         [this](const DeviceStatus& d) { devices.push_back(d); });
        QObject::connect(&client, &EngineClient::hostPidChanged, &context, [this](qint64 p) { pid = p; });
    }

    protocol::RequestId generate(EngineClient& client, const GenerateRequest& request) {
        return client.generate(request, {.planned = [](const PromptPlan&) {},
                                         .promptProgress = [](double) {},
                                         .tokens =
                                             [this](const TokenChunk& chunk) {
                                                 ids.insert(ids.end(), chunk.ids.begin(), chunk.ids.end());
                                                 ++updates;
                                             },
                                         .finished =
                                             [this](const Result<protocol::Done>& outcome) {
                                                 if (outcome)
                                                     result = outcome->result;
                                                 else
                                                     failure = outcome.error();
                                             }});
    }
    bool over() const { return result.has_value() || failure.has_value(); }

    QObject context;
    std::vector<TokenId> ids;
    int updates = 0;
    std::optional<GenerateResult> result;
    std::optional<Error> failure;
    std::optional<ModelInfo> info;
    QList<Recovery> recoveries;
    std::vector<DeviceStatus> devices;
    qint64 pid = 0;
};

std::vector<TokenId> firstIds(int count) {
    std::vector<TokenId> ids(static_cast<size_t>(count));
    std::iota(ids.begin(), ids.end(), 0);
    return ids;
}

GenerateRequest question() {
    GenerateRequest request;
    request.messages = {textMessage(Role::User, "Count!")};
    return request;
}

}  // namespace

class EngineClientTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;

    HostCommand host(QStringList arguments) const {
        return {INGLE_PYTHON, QStringList{INGLE_FAKE_HOST} + arguments};
    }
    QStringList dying(int times) const {
        QFile file(m_folder.filePath("crashes"));
        if (!file.open(QIODevice::WriteOnly)) return {};
        file.write(QByteArray::number(times));
        return {"--crash-file", file.fileName()};
    }

  private slots:
    void answersStreamAndAreCoalesced() {
        EngineClient client(host({"--tokens", "400"}));
        Heard heard(client);
        client.load("m.gguf", {});
        heard.generate(client, question());
        QTRY_VERIFY_WITH_TIMEOUT(heard.over(), kPatienceMs);
        QVERIFY(heard.result);
        QCOMPARE(heard.ids, firstIds(400));
        QCOMPARE(heard.info->device, std::string("a fake"));
        // 400 tokens at once are far fewer updates of the view.
        QVERIFY2(heard.updates < 100, qPrintable(QString::number(heard.updates)));
    }

    void anotherDeviceIsToldOnceUntilTheModelIsLoadedAgain() {
        EngineClient client(host({"--tokens", "6", "--move-at", "3"}));
        Heard heard(client);
        client.load("m.gguf", {});
        heard.generate(client, question());
        QTRY_VERIFY_WITH_TIMEOUT(heard.over(), kPatienceMs);
        QCOMPARE(heard.ids, firstIds(6));
        QCOMPARE(heard.devices.size(), size_t{1});
        QCOMPARE(heard.devices[0].device, std::string("another fake"));
        QCOMPARE(heard.devices[0].note, std::string("a fake failed."));
        // A new host starts on the first device again.
        QVERIFY(::kill(static_cast<pid_t>(heard.pid), SIGKILL) == 0);
        QTRY_COMPARE_WITH_TIMEOUT(heard.pid, qint64{0}, kPatienceMs);
        heard.result.reset();
        GenerateRequest later = question();
        later.resumeIds = firstIds(4);
        heard.generate(client, later);
        QTRY_VERIFY_WITH_TIMEOUT(heard.over(), kPatienceMs);
        QCOMPARE(heard.devices.size(), size_t{2});
        QCOMPARE(heard.devices[1].device, std::string("a fake"));
        QCOMPARE(heard.devices[1].note, std::string());
    }

    void aHostThatDiesOnceGoesOnUnnoticed() {
        EngineClient client(host(QStringList{"--crash-at", "7"} + dying(1)));
        Heard heard(client);
        client.load("m.gguf", {});
        heard.generate(client, question());
        QTRY_VERIFY_WITH_TIMEOUT(heard.over(), kPatienceMs);
        QVERIFY(heard.result);
        QCOMPARE(heard.ids, firstIds(20));
        QCOMPARE(heard.recoveries, QList<Recovery>{Recovery::SameWay});
    }

    void theSecondRestartUsesReferenceKernels() {
        const QString log = m_folder.filePath("requests");
        EngineClient client(host(QStringList{"--crash-at", "7", "--log", log} + dying(2)));
        Heard heard(client);
        client.load("m.gguf", {});
        heard.generate(client, question());
        QTRY_VERIFY_WITH_TIMEOUT(heard.over(), kPatienceMs);
        QVERIFY(heard.result);
        QCOMPARE(heard.ids, firstIds(20));
        QCOMPARE(heard.recoveries, (QList<Recovery>{Recovery::SameWay, Recovery::ReferenceKernels}));
        QFile requests(log);
        QVERIFY(requests.open(QIODevice::ReadOnly));
        QCOMPARE(requests.readAll().count("\"referenceKernels\":true"), 1);
    }

    void onlyACrashIsTheDriversFault_data() {
        QTest::addColumn<QStringList>("death");
        QTest::addColumn<int>("crashes");
        const auto signal = [](int number) { return QStringList{"--signal", QString::number(number)}; };
        QTest::newRow("segmentation fault") << signal(SIGSEGV) << 1;
        QTest::newRow("abort") << signal(SIGABRT) << 1;
        QTest::newRow("an exit of its own") << QStringList{"--exit-code", "4"} << 1;
        QTest::newRow("kill -9") << signal(SIGKILL) << 0;
        QTest::newRow("terminated") << signal(SIGTERM) << 0;
    }
    void onlyACrashIsTheDriversFault() {
        QFETCH(QStringList, death);
        QFETCH(int, crashes);
        const QString log = m_folder.filePath(QString("after-%1").arg(QTest::currentDataTag()));
        EngineClient client(host(QStringList{"--crash-at", "7", "--log", log} + death + dying(1)));
        Heard heard(client);
        client.load("m.gguf", {});
        heard.generate(client, question());
        QTRY_VERIFY_WITH_TIMEOUT(heard.over(), kPatienceMs);
        QCOMPARE(heard.ids, firstIds(20));
        // What somebody loads later has nothing to do with it.
        client.load("m.gguf", {});
        heard.generate(client, question());
        QTRY_VERIFY_WITH_TIMEOUT(heard.ids.size() == 40, kPatienceMs);
        QFile requests(log);
        QVERIFY(requests.open(QIODevice::ReadOnly));
        const QByteArray said = requests.readAll();
        QCOMPARE(said.count("\"op\":\"load\""), 3);
        QCOMPARE(said.count("\"crashedProcess\":") - said.count("\"crashedProcess\":0,"), crashes);
    }

    void devicesAreListedAlsoAfterACrash() {
        EngineClient client(host({"--graphics", "a GPU", "--graphics", "an old GPU"}));
        Heard heard(client);
        QSignalSpy listed(&client, &EngineClient::devicesListed);
        client.listDevices();
        QTRY_COMPARE_WITH_TIMEOUT(listed.size(), 1, kPatienceMs);
        const auto list = listed[0][0].value<ingle::DeviceList>();
        QCOMPARE(list.devices.size(), size_t{3});
        QCOMPARE(list.devices[1].name, std::string("a GPU"));
        QVERIFY(list.devices[2].use == DeviceUse::Never);
        QCOMPARE(::kill(static_cast<pid_t>(heard.pid), SIGKILL), 0);
        QTRY_COMPARE_WITH_TIMEOUT(heard.pid, qint64{0}, kPatienceMs);
        client.listDevices();
        QTRY_COMPARE_WITH_TIMEOUT(listed.size(), 2, kPatienceMs);
    }

    void theComputerIsDescribed() {
        EngineClient client(host({"--memory", "4294967296", "--available", "1073741824"}));
        QSignalSpy described(&client, &EngineClient::computerDescribed);
        client.describeComputer();
        QTRY_COMPARE_WITH_TIMEOUT(described.size(), 1, kPatienceMs);
        const auto computer = described[0][0].value<ingle::ComputerInfo>();
        QCOMPARE(computer.usableBytes, uint64_t{4} << 30);
        QCOMPARE(computer.availableBytes, uint64_t{1} << 30);
        QCOMPARE(computer.threads, 2u);
    }

    void aHostThatAlwaysDiesEndsInOneSentence() {
        EngineClient client(host(QStringList{"--crash-at", "7"} + dying(100)));
        Heard heard(client);
        client.load("m.gguf", {});
        heard.generate(client, question());
        QTRY_VERIFY_WITH_TIMEOUT(heard.over(), kPatienceMs);
        QVERIFY(heard.failure);
        QCOMPARE(
            heard.failure->message,
            std::string("The engine stopped 3 times while writing this answer and was not started again."));
        QCOMPARE(heard.ids, firstIds(7));
        QCOMPARE(heard.recoveries.size(), 2);
    }

    void aFileThatKillsTheHostWhileLoadingEndsToo() {
        EngineClient client(host(dying(100)));
        Heard heard(client);
        client.load("m.gguf", {});
        QTRY_VERIFY_WITH_TIMEOUT(heard.over(), kPatienceMs);
        QVERIFY(heard.failure);
        QCOMPARE(heard.recoveries.size(), 2);
    }

    void aChangedModelFileIsNotTriedAgain() {
        EngineClient client(host(QStringList{"--crash-at", "7", "--exit-code", "3"} + dying(1)));
        Heard heard(client);
        client.load("m.gguf", {});
        heard.generate(client, question());
        QTRY_VERIFY_WITH_TIMEOUT(heard.over(), kPatienceMs);
        QVERIFY(heard.failure);
        QCOMPARE(heard.failure->message, std::string("The model file changed."));
        QVERIFY(heard.recoveries.isEmpty());
    }

    void aHostKilledWhileIdleIsStartedByTheNextRequest() {
        EngineClient client(host({}));
        Heard heard(client);
        client.load("m.gguf", {});
        QTRY_VERIFY_WITH_TIMEOUT(heard.info, kPatienceMs);
        QCOMPARE(::kill(static_cast<pid_t>(heard.pid), SIGKILL), 0);
        QTRY_COMPARE_WITH_TIMEOUT(heard.pid, 0, kPatienceMs);
        QVERIFY(heard.recoveries.isEmpty());
        heard.generate(client, question());
        QTRY_VERIFY_WITH_TIMEOUT(heard.over(), kPatienceMs);
        QCOMPARE(heard.ids, firstIds(20));
        QVERIFY(heard.recoveries.isEmpty());
    }

    void cancelEndsAnAnswer() {
        EngineClient client(host({"--tokens", "100000", "--pace-ms", "2"}));
        Heard heard(client);
        client.load("m.gguf", {});
        const auto generation = heard.generate(client, question());
        QTRY_VERIFY_WITH_TIMEOUT(heard.ids.size() > 10, kPatienceMs);
        client.cancel(generation);
        QTRY_VERIFY_WITH_TIMEOUT(heard.over(), kPatienceMs);
        QVERIFY(heard.result);
        QCOMPARE(heard.result->reason, StopReason::Cancelled);
        QVERIFY(heard.ids.size() < 100000);
    }

    void cancelWhileTheModelIsLoadedAgainEndsTheAnswerOnly() {
        const QString log = m_folder.filePath("reload");
        const auto loads = [log] {
            QFile requests(log);
            return requests.open(QIODevice::ReadOnly) ? requests.readAll().count("\"op\":\"load\"") : 0;
        };
        EngineClient client(
            host(QStringList{"--crash-at", "7", "--load-ms", "300", "--log", log} + dying(1)));
        Heard heard(client);
        client.load("m.gguf", {});
        const auto generation = heard.generate(client, question());
        QTRY_COMPARE_WITH_TIMEOUT(loads(), 2, kPatienceMs);
        client.cancel(generation);
        QTRY_VERIFY_WITH_TIMEOUT(heard.over(), kPatienceMs);
        QVERIFY(heard.result);
        QCOMPARE(heard.result->reason, StopReason::Cancelled);
        QCOMPARE(heard.ids, firstIds(7));

        heard.result.reset();
        heard.ids.clear();
        heard.generate(client, question());
        QTRY_VERIFY_WITH_TIMEOUT(heard.over(), kPatienceMs);
        QVERIFY(heard.result);
        QCOMPARE(heard.ids, firstIds(20));
        QCOMPARE(loads(), 2);
    }

    void aRequestThatCannotBeSentFailsAlone() {
        GenerateRequest tooLong = question();
        tooLong.messages[0].parts[0].text.assign(protocol::kMaxMessageBytes, 'a');
        EngineClient client(host({}));
        Heard heard(client);
        client.load("m.gguf", {});
        heard.generate(client, tooLong);
        heard.generate(client, question());
        QTRY_VERIFY_WITH_TIMEOUT(heard.result, kPatienceMs);
        QVERIFY(heard.failure);
        QCOMPARE(heard.failure->code, ErrorCode::InvalidArgument);
        QCOMPARE(heard.ids, firstIds(20));
        QVERIFY(heard.recoveries.isEmpty());
    }

    void anotherVersionIsSaidOnceAndNotRetried() {
        EngineClient client(host({"--version", "99"}));
        Heard heard(client);
        client.load("m.gguf", {});
        QTRY_VERIFY_WITH_TIMEOUT(heard.over(), kPatienceMs);
        QVERIFY(heard.failure);
        QCOMPARE(heard.failure->code, ErrorCode::Unsupported);
        QVERIFY(heard.recoveries.isEmpty());
    }

    void theHostMayEndByItselfWhenTheWindowIsClosed() {
        const QString log = m_folder.filePath("ended");
        {
            EngineClient client(host({"--log", log}));
            Heard heard(client);
            client.load("m.gguf", {});
            QTRY_VERIFY_WITH_TIMEOUT(heard.info, kPatienceMs);
        }
        QFile requests(log);
        QVERIFY(requests.open(QIODevice::ReadOnly));
        QVERIFY(requests.readAll().endsWith("end of input\n"));
    }

    void aMissingHostIsOneSentence() {
        EngineClient client(HostCommand{"/nowhere/ingle", {"host"}});
        Heard heard(client);
        client.inspect("m.gguf", [&](const auto& info) { heard.failure = info.error(); });
        QTRY_VERIFY_WITH_TIMEOUT(heard.over(), kPatienceMs);
        QVERIFY(heard.failure);
        QCOMPARE(heard.failure->code, ErrorCode::Io);
    }

    void aRefusedFileLeavesTheHostAlive() {
        EngineClient client(host({}));
        Heard heard(client);
        client.inspect("broken.gguf", [&](const auto& info) { heard.failure = info.error(); });
        QTRY_VERIFY_WITH_TIMEOUT(heard.failure, kPatienceMs);
        QCOMPARE(heard.failure->message, std::string("broken.gguf is not a model."));
        client.load("m.gguf", {});
        QTRY_VERIFY_WITH_TIMEOUT(heard.info, kPatienceMs);
        QVERIFY(heard.recoveries.isEmpty());
    }
};

WINDOW_SUITE(EngineClientTest)
#include "engine_client_test.moc"
