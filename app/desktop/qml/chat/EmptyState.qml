// A conversation without messages: says what to do next, and what the guide can be asked.
import QtQuick
import QtQuick.Templates as T
import Inglenook

Item {
    id: empty

    required property AppModel app
    readonly property ModelListModel models: app.models
    readonly property bool noModel: models.state === ModelListModel.NoModel && !models.inspecting
    readonly property bool missing: models.state === ModelListModel.Missing
    readonly property bool guiding: models.guiding && models.state === ModelListModel.Ready && !models.inspecting

    signal modelsRequested

    Flickable {
        anchors.fill: parent
        contentHeight: Math.max(height, column.height + 2 * Theme.l)
        interactive: contentHeight > height
        boundsBehavior: Flickable.StopAtBounds
        clip: interactive
        T.ScrollBar.vertical: ScrollThumb {}

        Column {
            id: column
            anchors.horizontalCenter: parent.horizontalCenter
            y: Math.max(Theme.l, (empty.height - height) * 0.42)
            width: Math.min(440, empty.width - 2 * Theme.xl)
            spacing: Theme.l

            Image {
                anchors.horizontalCenter: parent.horizontalCenter
                visible: empty.height >= 420  // in a small window what can be done comes first
                source: "qrc:/qt/qml/Inglenook/icons/inglenook.svg"
                sourceSize.width: 72
                sourceSize.height: 72
                Accessible.ignored: true
            }
            Text {
                textFormat: Text.PlainText
                width: parent.width
                horizontalAlignment: Text.AlignHCenter
                wrapMode: Text.Wrap
                color: Theme.text
                font.pixelSize: Theme.headingSize(1)
                font.weight: Font.DemiBold
                text: {
                    if (empty.models.inspecting)
                        return qsTr("Looking at the file…");
                    switch (empty.models.state) {
                    case ModelListModel.NoModel:
                        return qsTr("Drop a model here");
                    case ModelListModel.Loading:
                        return qsTr("Loading %1").arg(empty.models.currentName);
                    case ModelListModel.Missing:
                        return qsTr("%1 is not where it was").arg(empty.models.currentName);
                    case ModelListModel.Failed:
                        return qsTr("%1 could not be loaded").arg(empty.models.currentName);
                    default:
                        return empty.guiding ? qsTr("Ask the guide") : qsTr("What is on your mind?");
                    }
                }
                Accessible.role: Accessible.Heading
                Accessible.name: text
            }
            Text {
                textFormat: Text.PlainText
                width: parent.width
                horizontalAlignment: Text.AlignHCenter
                wrapMode: Text.WrapAtWordBoundaryOrAnywhere
                color: Theme.mutedText
                font.pixelSize: Theme.textSize
                lineHeight: 1.15
                visible: text.length > 0
                text: {
                    if (empty.models.inspecting)
                        return "";
                    switch (empty.models.state) {
                    case ModelListModel.NoModel:
                        return qsTr("GGUF and rwkv.cpp files run from where they lie. Everything stays on this computer: Inglenook cannot reach the network.");
                    case ModelListModel.Missing:
                        return qsTr("Drop it again from where it is now.");
                    case ModelListModel.Failed:
                        return empty.models.failure;
                    case ModelListModel.Ready:
                        if (empty.guiding)
                            return qsTr("It is a very small model that knows Inglenook and nothing else. For everything else, drop a model file on this window.");
                        return qsTr("%1 answers on this computer, and nowhere else.").arg(empty.models.currentName);
                    default:
                        return "";
                    }
                }
            }
            Rectangle {
                anchors.horizontalCenter: parent.horizontalCenter
                visible: empty.models.state === ModelListModel.Loading
                width: 220
                height: 4
                radius: 2
                color: Theme.line

                Rectangle {
                    width: parent.width * empty.models.loadFraction
                    height: parent.height
                    radius: 2
                    color: Theme.accent
                }
            }
            Column {
                width: parent.width
                spacing: Theme.s
                // A click sends: nothing that was written already may stand in its way.
                visible: empty.guiding && empty.app.chat.draft.length === 0

                Repeater {
                    // In English, the language the guide knows best.
                    model: ["How do I open a model?", "Which model fits my computer?", "Is what I write private?", "What can I do with Inglenook?"]
                    delegate: TextButton {
                        required property string modelData
                        required property int index

                        objectName: "suggestion-" + index
                        anchors.horizontalCenter: parent.horizontalCenter
                        width: Math.min(320, empty.width - 2 * Theme.xl)
                        text: modelData
                        onClicked: empty.app.chat.send(modelData)
                    }
                }
            }
            TextButton {
                anchors.horizontalCenter: parent.horizontalCenter
                objectName: "chooseModelButton"
                visible: !empty.models.inspecting && empty.models.state !== ModelListModel.Ready && empty.models.state !== ModelListModel.Loading
                prominent: true
                text: empty.models.count > 0 ? qsTr("Choose a model") : qsTr("Choose a file")
                onClicked: empty.modelsRequested()
            }
            Column {
                objectName: "goodChoices"
                width: parent.width
                spacing: Theme.s
                visible: (empty.guiding || empty.noModel) && empty.app.offers.numGood > 0 && empty.app.chat.draft.length === 0

                Text {
                    textFormat: Text.PlainText
                    width: parent.width
                    horizontalAlignment: Text.AlignHCenter
                    wrapMode: Text.Wrap
                    color: Theme.mutedText
                    font.pixelSize: Theme.smallSize
                    text: qsTr("%1 Good choices:").arg(empty.app.offers.computer)
                }
                Repeater {
                    model: empty.app.offers
                    delegate: ModelOfferRow {
                        required property bool good

                        app: empty.app
                        width: parent.width
                        visible: good
                    }
                }
                TextButton {
                    objectName: "allModels"
                    anchors.horizontalCenter: parent.horizontalCenter
                    text: qsTr("More models, and those on this computer")
                    onClicked: empty.modelsRequested()
                }
            }
        }
    }
}
