// A conversation without messages: says what to do next, and what the guide can be asked.
import QtQuick
import QtQuick.Templates as T
import Inglenook

Item {
    id: empty

    objectName: "startPage"

    required property ChatController chat
    required property StartPage page
    required property ModelInUse models
    required property Component startOffers

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
                text: empty.page.heading
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
                text: empty.page.text
            }
            Rectangle {
                anchors.horizontalCenter: parent.horizontalCenter
                visible: empty.page.loading
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
                // Nothing that was written already may stand in a start's way.
                visible: empty.chat.draft.length === 0

                Repeater {
                    model: empty.page.starts
                    delegate: TextButton {
                        required property string modelData
                        required property int index

                        objectName: "suggestion-" + index
                        anchors.horizontalCenter: parent.horizontalCenter
                        width: Math.min(320, empty.width - 2 * Theme.xl)
                        text: modelData
                        onClicked: {
                            if (empty.page.startsAreWhole)
                                empty.chat.send(modelData);
                            else
                                empty.chat.begin(modelData + " ");
                        }
                    }
                }
            }
            TextButton {
                anchors.horizontalCenter: parent.horizontalCenter
                objectName: "chooseModelButton"
                visible: text.length > 0
                prominent: true
                text: empty.page.openModel
                onClicked: empty.modelsRequested()
            }
            Loader {
                anchors.horizontalCenter: parent.horizontalCenter
                width: Math.min(540, empty.width - 2 * Theme.xl)
                active: empty.page.offersModels
                visible: active && empty.chat.draft.length === 0
                sourceComponent: empty.startOffers
            }
        }
    }
}
