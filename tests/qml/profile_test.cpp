/// What the model sees, and what is set for a chat, a folder and a model.
#include "tests/qml/suite.h"
#include "tests/qml/window_run.h"

using namespace ingle;
using namespace ingle::desktop;

namespace {

void type(WindowRun& run, const std::string& text) {
    for (const char key : text) QTest::keyClick(run.window, key);
}
/// The fields of the card, by their names.
QVariantMap fieldOf(ProfileEditor& editor, const QString& key) {
    for (const QVariant& each : editor.fields())
        if (each.toMap()["key"] == key) return each.toMap();
    return {};
}
QStringList column(const QVariantList& rows, const char* name) {
    QStringList all;
    for (const QVariant& each : rows) all << each.toMap()[name].toString();
    return all;
}

struct Run : WindowRun {
    Run(const QString& dataDir, const QStringList& hostArguments) : WindowRun(dataDir, hostArguments) {
        window->requestActivate();
        (void)QTest::qWaitForWindowActive(window);
    }
    ProfileEditor& profiles() { return *model.shownPage()->profiles(); }
    PromptView& prompt() { return *model.shownPage()->prompt(); }
    // False: it did not come to that.
    bool answer(const QString& question) {
        const size_t before = messages().size();
        chat().send(question);
        return QTest::qWaitFor([&] { return messages().size() == before + 2 && idle(); }, kPatienceMs);
    }
    bool openChatSettings() {
        QTest::keyClick(window, Qt::Key_Period, Qt::ControlModifier);
        return QTest::qWaitFor([this] {
            const QQuickItem* field = shownItem("profile-systemPrompt");
            return field != nullptr && field->hasActiveFocus();
        });
    }
    bool closeCard() {
        QTest::keyClick(window, Qt::Key_Escape);
        return QTest::qWaitFor([this] { return shownItem("profile-systemPrompt") == nullptr; });
    }
    bool press(const char* button) {
        return QTest::qWaitFor([&] { return shownItem(button) != nullptr; }) &&
               QMetaObject::invokeMethod(shownItem(button), "clicked");
    }
};

}  // namespace

class ProfileTest : public QObject, WindowFiles {
    Q_OBJECT

  private slots:
    void initTestCase() { QVERIFY(prepare()); }

    void whatIsSetForAChatHoldsForItAndForNoOther() {
        const QString folder = freshDataDir();
        const QString log = folder + "/host.log";
        Run run(folder, {"--log", log});
        run.drop(m_modelFile);
        QTRY_VERIFY_WITH_TIMEOUT(run.ready(), kPatienceMs);
        // Before the chat exists.
        QVERIFY(run.openChatSettings());
        type(run, "Be kind");
        QCOMPARE(fieldOf(run.profiles(), "temperature")["origin"].toString(), QString("from the settings"));
        QCOMPARE(run.shownItem("origin-systemPrompt")->property("text").toString(), QString("set here"));
        run.shownItem("profile-temperature")->forceActiveFocus();
        type(run, "0,25");
        QVERIFY(run.closeCard());
        QVERIFY(run.answer("hello"));
        const auto first = static_cast<qint64>(run.chat().conversationId());
        QCOMPARE(run.messages()[1].sampler.temperature, 0.25F);
        QCOMPARE(run.messages()[1].receipt.terms->systemPrompt, std::string("Be kind"));
        QCOMPARE(requests(log, "generate"), 1);
        run.model.actions()->run("newConversation");
        QVERIFY(run.answer("hello"));
        QVERIFY(run.messages()[1].sampler.temperature != 0.25F);
        QCOMPARE(run.messages()[1].receipt.terms->systemPrompt, std::string());
        // It is there the next time it is looked at, and can be taken back.
        run.chat().open(first);
        QTRY_COMPARE(static_cast<qint64>(run.chat().conversationId()), first);
        QVERIFY(run.openChatSettings());
        QCOMPARE(run.profiles().value("systemPrompt"), QString("Be kind"));
        run.shownItem("profile-temperature")->forceActiveFocus();
        QTest::keyClick(run.window, Qt::Key_A, Qt::ControlModifier);
        QTest::keyClick(run.window, Qt::Key_Delete);
        QVERIFY(run.closeCard());
        QVERIFY(run.answer("again"));
        QVERIFY(run.messages()[3].sampler.temperature != 0.25F);
        QCOMPARE(run.messages()[3].receipt.terms->systemPrompt, std::string("Be kind"));
    }

    void whatIsTypedIsStoredBeforeTheCardCloses() {
        const QString folder = freshDataDir();
        {
            Run run(folder, {});
            QVERIFY(run.openChatSettings());
            type(run, "Be kind");
        }
        Run run(folder, {});
        QTRY_VERIFY(run.window->isVisible());
        QVERIFY(run.openChatSettings());
        QCOMPARE(run.profiles().value("systemPrompt"), QString("Be kind"));
        // A form without a text is none.
        QVERIFY(run.press("form-json_schema"));
        QVERIFY(run.closeCard());
        QVERIFY(run.openChatSettings());
        QCOMPARE(run.profiles().value("form"), QString());
    }

    void whereTheKeyboardIsCanBeSeen() {
        Run run(freshDataDir(), {});
        run.window->resize(360, 600);
        QVERIFY(run.openChatSettings());
        for (const char* field : {"form-grammar", "profile-systemPrompt"}) {
            QQuickItem* item = run.shownItem(field);
            QVERIFY(item != nullptr);
            item->forceActiveFocus(Qt::TabFocusReason);
            QTRY_VERIFY(item->mapToScene({0, 0}).y() > 0 &&
                        item->mapToScene({0, item->height()}).y() < run.window->height());
        }
    }

    void whatWasDoneInAPrivateChatIsNotUndoneBehindIt() {
        Run run(freshDataDir(), {});
        run.drop(m_modelFile);
        QTRY_VERIFY_WITH_TIMEOUT(run.ready(), kPatienceMs);
        run.model.actions()->run("privateChat");
        QTRY_VERIFY(run.model.secret()->isShown());
        QVERIFY(run.answer("hello"));
        run.model.actions()->run("removeMessage", run.messages()[1].id);
        QTRY_VERIFY(run.model.notices()->canUndo());
        run.model.actions()->run("closePrivateChat");
        QTRY_VERIFY(!run.model.secret()->isOpen());
        QTRY_VERIFY2(!run.model.notices()->canUndo(), "it would undo in a chat that is gone");
        QCOMPARE(run.model.notices()->toast(), QString());
    }

    void layersLieOverEachOtherAndSayWhoseValueItIs() {
        const QString folder = freshDataDir();
        {
            Run run(folder, {});
            run.drop(m_modelFile);
            QTRY_VERIFY_WITH_TIMEOUT(run.ready(), kPatienceMs);
            run.model.actions()->run("modelSettings");
            QTRY_VERIFY(run.shownItem("profile-topK") != nullptr);
            run.profiles().setValue("topK", "3");
            run.profiles().setValue("temperature", "1.5");
            QVERIFY(run.closeCard());
            QVERIFY(run.openChatSettings());
            QCOMPARE(fieldOf(run.profiles(), "topK")["origin"].toString(), QString("from the model"));
            QCOMPARE(fieldOf(run.profiles(), "topK")["usual"].toString(), QString("3"));
            QCOMPARE(fieldOf(run.profiles(), "topP")["origin"].toString(), QString("from the settings"));
            run.profiles().setValue("temperature", "0");
            QVERIFY(run.closeCard());
            QVERIFY(run.answer("hello"));
            QCOMPARE(run.messages()[1].sampler.topK, 3);
            QCOMPARE(run.messages()[1].sampler.temperature, 0.0F);
        }
        // The model's is kept with the model.
        Run run(folder, {});
        QTRY_VERIFY_WITH_TIMEOUT(run.ready(), kPatienceMs);
        run.model.actions()->run("newConversation");
        QVERIFY(run.answer("hello"));
        QCOMPARE(run.messages()[1].sampler.topK, 3);
        QCOMPARE(run.messages()[1].sampler.temperature, 1.5F);
    }

    void aFormIsCheckedWhileItIsWrittenAndGoesToTheEngine() {
        const QString folder = freshDataDir();
        const QString log = folder + "/host.log";
        Run run(folder, {"--log", log});
        run.drop(m_modelFile);
        QTRY_VERIFY_WITH_TIMEOUT(run.ready(), kPatienceMs);
        QVERIFY(run.openChatSettings());
        QVERIFY(!run.shownItem("profile-formText") || !run.shownItem("profile-formText")->isVisible());
        QVERIFY(run.press("form-json_schema"));
        QTRY_VERIFY(run.shownItem("profile-formText") && run.shownItem("profile-formText")->isVisible());
        run.shownItem("profile-formText")->setProperty("text", "{\"type\":");
        QTRY_VERIFY(run.profiles().problem().contains("it is no JSON"));
        QVERIFY(run.shownItem("formProblem")->isVisible());
        run.shownItem("profile-formText")->setProperty("text", "{\"type\":\"integer\"}");
        QTRY_COMPARE(run.profiles().problem(), QString());
        QVERIFY(run.closeCard());
        QVERIFY(run.answer("how many"));
        QFile said(log);
        QVERIFY(said.open(QIODevice::ReadOnly));
        const QByteArray form = "\"jsonSchema\":\"{\\\"type\\\":\\\"integer\\\"}\"";
        QVERIFY(said.readAll().contains(form));
        QVERIFY(run.messages()[1].receipt.terms->form.kind == history::AnswerForm::Kind::JsonSchema);
    }

    void aTemplateIsShownAtWorkWhileItIsWritten() {
        const QString folder = freshDataDir();
        const QString log = folder + "/host.log";
        Run run(folder, {"--log", log, "--forget"});
        run.drop(m_modelFile);
        QTRY_VERIFY_WITH_TIMEOUT(run.ready(), kPatienceMs);
        run.model.actions()->run("modelSettings");
        QTRY_VERIFY(run.shownItem("profile-chatTemplate") != nullptr);
        QVERIFY(run.profiles().sample().isEmpty());
        // It begins with the model's own.
        QVERIFY(run.press("own-chatTemplate"));
        QTRY_COMPARE(run.shownItem("profile-chatTemplate")->property("text").toString(), QString("{own}"));
        run.shownItem("profile-chatTemplate")->setProperty("text", "[mine]");
        QTRY_COMPARE(run.profiles().sample(), QString("[What is 2 + 2?]"));
        QVERIFY(run.shownItem("templateSample")->isVisible());
        run.shownItem("profile-chatTemplate")->setProperty("text", "[{% for %}]");
        QTRY_COMPARE(run.profiles().problem(), QString("It is not used."));
        QVERIFY(run.shownItem("formProblem")->isVisible());
        run.shownItem("profile-chatTemplate")->setProperty("text", "[mine]");
        QTRY_COMPARE(run.profiles().problem(), QString());
        QVERIFY(run.press("thinking-off"));
        QVERIFY(run.closeCard());
        QVERIFY(run.answer("hello"));
        QCOMPARE(run.messages()[1].receipt.terms->promptForm, (PromptForm{"[mine]", Thinking::Off}));
        QFile said(log);
        QVERIFY(said.open(QIODevice::ReadOnly));
        const QString form = R"("promptForm":{"chatTemplate":"[mine]","thinking":"off"})";
        QVERIFY(said.readAll().contains(form.toUtf8()));
        // A chat may go back to the model's own.
        QVERIFY(run.openChatSettings());
        QVERIFY(run.press("none-chatTemplate"));
        QVERIFY(run.closeCard());
        QVERIFY(run.answer("again"));
        QCOMPARE(run.messages()[3].receipt.terms->promptForm.chatTemplate, std::string());
    }

    void instructionsFromBelowCanBeLeftOut() {
        Run run(freshDataDir(), {});
        run.drop(m_modelFile);
        QTRY_VERIFY_WITH_TIMEOUT(run.ready(), kPatienceMs);
        run.model.settings()->setProperty("systemPrompt", "Be brief.");
        QVERIFY(run.openChatSettings());
        QVERIFY(run.press("none-systemPrompt"));
        QCOMPARE(run.shownItem("origin-systemPrompt")->property("text").toString(), QString("set here"));
        QVERIFY(run.closeCard());
        QVERIFY(run.answer("hello"));
        QCOMPARE(run.messages()[1].receipt.terms->systemPrompt, std::string());
        // And taken back in.
        QVERIFY(run.openChatSettings());
        QVERIFY(run.press("none-systemPrompt"));
        QVERIFY(run.closeCard());
        QVERIFY(run.answer("hello"));
        QCOMPARE(run.messages()[3].receipt.terms->systemPrompt, std::string("Be brief."));
    }

    void theContextOfAModelIsItsOwn() {
        const QString folder = freshDataDir();
        const QString log = folder + "/host.log";
        Run run(folder, {"--log", log});
        run.drop(m_modelFile);
        QTRY_VERIFY_WITH_TIMEOUT(run.ready(), kPatienceMs);
        const int loads = requests(log, "load");
        run.model.actions()->run("modelSettings");
        QTRY_VERIFY(run.shownItem("profile-contextTokens") != nullptr);
        run.profiles().setValue("contextTokens", "2048");
        QVERIFY(run.closeCard());
        QTRY_COMPARE(requests(log, "load"), loads + 1);
        QTRY_VERIFY_WITH_TIMEOUT(run.ready(), kPatienceMs);
        QFile said(log);
        QVERIFY(said.open(QIODevice::ReadOnly));
        QVERIFY(said.readAll().contains("\"contextTokens\":2048"));
        QVERIFY(run.answer("hello"));
        QCOMPARE(run.messages()[1].receipt.terms->contextTokens, 2048u);
    }

    void whatTheModelSeesIsListedAndCanBePinned() {
        Run run(freshDataDir(), {"--forget", "--tokens", "2"});
        run.drop(m_modelFile);
        QTRY_VERIFY_WITH_TIMEOUT(run.ready(), kPatienceMs);
        QVERIFY(run.answer("first"));
        QVERIFY(run.answer("second"));
        run.chat().setDraft("third");
        QTest::keyClick(run.window, Qt::Key_I, Qt::ControlModifier);
        QTRY_VERIFY(run.shownItem("promptRows") != nullptr && run.shownItem("promptRows")->isVisible());
        QCOMPARE(column(run.prompt().rows(), "name"), (QStringList{"You", "Answer", "You", "Answer", "You"}));
        QCOMPARE(column(run.prompt().rows(), "excerpt"),
                 (QStringList{"first", "0 1", "second", "0 1", "third"}));
        QCOMPARE(column(run.prompt().rows(), "dropped"),
                 (QStringList{"true", "true", "true", "true", "false"}));
        QCOMPARE(column(run.prompt().rows(), "figures")[0], QString("5 tokens, no longer seen"));
        QVERIFY2(run.prompt().sentence().startsWith("6 of 48 tokens"), qPrintable(run.prompt().sentence()));
        QCOMPARE(run.prompt().text(), QString("<third>"));
        QVERIFY(run.press("pinRow-0"));
        QTRY_COMPARE(column(run.prompt().rows(), "dropped"),
                     (QStringList{"false", "true", "true", "true", "false"}));
        QCOMPARE(column(run.prompt().rows(), "pinned")[0], QString("true"));
        QCOMPARE(run.prompt().text(), QString("<first><third>"));
        QVERIFY(run.press("exactPrompt"));
        QTRY_VERIFY(run.shownItem("promptText")->isVisible());
        QTest::keyClick(run.window, Qt::Key_Escape);
        // It is an action of the message, too, and holds for what is asked.
        QVERIFY(run.model.actions()->can("unpinMessage", run.messages()[0].id));
        QVERIFY(!run.model.actions()->can("pinMessage", run.messages()[0].id));
        run.model.actions()->run("unpinMessage", run.messages()[0].id);
        QTRY_VERIFY(run.model.actions()->can("pinMessage", run.messages()[0].id));
    }

    void aLongPromptIsCutIntoPiecesThatAreAllOfIt() {
        Run run(freshDataDir(), {"--room", "1000000"});
        run.drop(m_modelFile);
        QTRY_VERIFY_WITH_TIMEOUT(run.ready(), kPatienceMs);
        QString text = QString("😀").repeated(3001);
        for (int line = 0; line < 300; ++line) text += QString("a line of some words\n");
        run.chat().setDraft(text);
        run.prompt().open();
        QTRY_VERIFY(!run.prompt().pieces().isEmpty());
        QCOMPARE(run.prompt().pieces().join(QString()), "<" + text + ">");
        QVERIFY(run.prompt().pieces().size() > 5);
        for (const QString& piece : run.prompt().pieces()) {
            QVERIFY(piece.size() <= 2001);
            QVERIFY(!piece.back().isHighSurrogate());
        }
    }

    void withoutAModelOneSentenceSaysSo() {
        Run run(freshDataDir(), {});
        QTRY_VERIFY(run.window->isVisible());
        QTest::keyClick(run.window, Qt::Key_I, Qt::ControlModifier);
        QTRY_VERIFY(run.shownItem("promptSentence") != nullptr);
        QCOMPARE(run.prompt().sentence(), QString("No model is loaded."));
        QVERIFY(run.prompt().rows().isEmpty());
    }

    /// As German writes numbers: shown with a comma, taken with either mark, and nothing else is taken.
    void numbersAreThoseOfTheLanguage() {
        const QLocale before;
        QLocale::setDefault(QLocale(QLocale::German));
        const auto restore = qScopeGuard([&] { QLocale::setDefault(before); });
        WindowRun run(freshDataDir(), {});
        Settings& settings = *run.model.settings();
        QSignalSpy loaded(&settings, &Settings::loaded);
        QTRY_COMPARE(loaded.size(), 1);
        QVERIFY(QTest::qWaitForWindowActive(run.window));
        QTest::keyClick(run.window, Qt::Key_Comma, Qt::ControlModifier);
        QTRY_VERIFY(run.shownItem("settings-temperature") != nullptr);
        QQuickItem* field = run.shownItem("settings-temperature");
        const auto typed = [&](const QString& text) {
            field->forceActiveFocus();
            QTest::keyClick(run.window, Qt::Key_A, Qt::ControlModifier);
            for (const QChar letter : text) QTest::keyClick(run.window, letter.toLatin1());
            return settings.property("temperature").toDouble();
        };
        QCOMPARE(typed("0,8"), 0.8);
        QCOMPARE(typed("0.35"), 0.35);
        run.shownItem("settings-topK")->forceActiveFocus();
        QCOMPARE(field->property("text").toString(), QString("0,35"));
        QVERIFY(!run.shownItem("settings-temperature-range") ||
                !run.shownItem("settings-temperature-range")->isVisible());
        for (const char* wrong : {"9", "warm", "-1"}) {
            QCOMPARE(typed("0,5"), 0.5);
            QCOMPARE(typed(wrong), 0.5);
            const QQuickItem* range = run.shownItem("settings-temperature-range");
            QVERIFY2(range != nullptr && range->isVisible(), wrong);
            QCOMPARE(range->property("text").toString(), QString("0 to 5"));
        }
    }

    void ofAPrivateChatNothingIsSetElsewhere() {
        const QString folder = freshDataDir();
        Run run(folder, {});
        run.drop(m_modelFile);
        QTRY_VERIFY_WITH_TIMEOUT(run.ready(), kPatienceMs);
        run.model.actions()->run("privateChat");
        QTRY_VERIFY(run.model.secret()->isShown());
        QVERIFY(run.openChatSettings());
        // Nor does an input method remember it, whatever field it is written in.
        for (const char* field : {"profile-systemPrompt", "profile-temperature", "composerInput"}) {
            QQuickItem* item = run.shownItem(field);
            QVERIFY2(item->property("inputMethodHints").toInt() & Qt::ImhSensitiveData, field);
        }
        type(run, "Be secret");
        QVERIFY(run.closeCard());
        QVERIFY(run.answer("hello"));
        QCOMPARE(run.messages()[1].receipt.terms->systemPrompt, std::string("Be secret"));
        run.model.actions()->run("closePrivateChat");
        QTRY_VERIFY(!run.model.secret()->isOpen());
        QVERIFY(run.answer("hello"));
        QCOMPARE(run.messages()[1].receipt.terms->systemPrompt, std::string());
    }
};

WINDOW_SUITE(ProfileTest)
#include "profile_test.moc"
