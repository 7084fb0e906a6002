// What the model would see now: how much of its context each message and document takes, what is no longer seen, and
// the prompt itself.
import QtQuick
import QtQuick.Layouts
import QtQuick.Templates as T
import Inglenook

Card {
    id: card

    required property AppModel app
    readonly property PromptView prompt: app.chats.shownPage.prompt
    readonly property Actions actions: app.services.actions
    readonly property DesktopPortal portal: app.services.portal

    objectName: "promptCard"
    title: qsTr("What the model sees")
    width: Math.min(640, room.width - 2 * Theme.l)

    // It speaks of the chat that was shown.
    onPromptChanged: close()

    body: ColumnLayout {
        id: body

        property bool exact: false

        spacing: Theme.m

        RowLayout {
            Layout.fillWidth: true
            spacing: Theme.m

            Ring {
                Layout.preferredWidth: Theme.l
                Layout.preferredHeight: Theme.l
                visible: card.prompt.share > 0
                share: card.prompt.share
                color: card.prompt.share > 0.85 ? Theme.danger : Theme.accent
                groove: Theme.line
            }
            Text {
                objectName: "promptSentence"
                textFormat: Text.PlainText
                Layout.fillWidth: true
                text: card.prompt.sentence
                color: Theme.mutedText
                font.pixelSize: Theme.smallSize
                wrapMode: Text.Wrap
            }
        }
        ListView {
            id: list
            objectName: "promptRows"
            Layout.fillWidth: true
            Layout.fillHeight: true
            implicitHeight: contentHeight
            visible: count > 0 && !body.exact
            clip: true
            spacing: Theme.s
            boundsBehavior: Flickable.StopAtBounds
            model: card.prompt.rows
            Accessible.role: Accessible.List
            Accessible.name: card.title
            T.ScrollBar.vertical: ScrollThumb {}
            delegate: RowLayout {
                id: row

                required property int index
                required property var modelData

                width: list.width - (list.contentHeight > list.height ? Theme.m : 0)  // beside the scroll bar
                spacing: Theme.m
                Accessible.role: Accessible.ListItem
                Accessible.name: modelData.name
                Accessible.description: modelData.figures

                ColumnLayout {
                    Layout.fillWidth: true
                    spacing: 0

                    RowLayout {
                        Layout.fillWidth: true
                        spacing: Theme.m

                        Text {
                            textFormat: Text.PlainText
                            Layout.fillWidth: true
                            text: row.modelData.name
                            color: row.modelData.dropped ? Theme.mutedText : Theme.text
                            font.italic: row.modelData.dropped
                            font.pixelSize: Theme.smallSize
                            font.weight: Font.DemiBold
                            elide: Text.ElideRight
                        }
                        Text {
                            textFormat: Text.PlainText
                            text: row.modelData.figures
                            color: Theme.mutedText
                            font.pixelSize: Theme.smallSize - 1
                        }
                    }
                    // With the parts that the model sees, each as a picture of its own.
                    Loader {
                        active: row.modelData.picture.length > 0
                        visible: active
                        Layout.topMargin: Theme.xs
                        sourceComponent: StoredPicture {
                            id: seen

                            readonly property real form: pixels.height > 0 ? pixels.width / pixels.height : 1

                            objectName: "seenPicture"
                            implicitHeight: Theme.tileSize
                            implicitWidth: Math.min(list.width / 2, form * implicitHeight)
                            pictures: card.app.chats.chat.pictures
                            hash: row.modelData.picture
                            Accessible.role: Accessible.Graphic
                            Accessible.name: row.modelData.excerpt

                            Repeater {
                                model: row.modelData.tiles ?? []
                                delegate: Rectangle {
                                    required property rect modelData

                                    objectName: "seenTile"
                                    x: modelData.x * seen.width
                                    y: modelData.y * seen.height
                                    width: modelData.width * seen.width
                                    height: modelData.height * seen.height
                                    color: "transparent"
                                    border.width: 1
                                    border.color: Theme.accent
                                }
                            }
                        }
                    }
                    Text {
                        textFormat: Text.PlainText
                        Layout.fillWidth: true
                        visible: text.length > 0
                        text: row.modelData.excerpt
                        color: Theme.mutedText
                        font.pixelSize: Theme.smallSize - 1
                        elide: Text.ElideRight
                    }
                }
                IconButton {
                    objectName: "pinRow-" + row.index
                    // The place is kept, so that all figures stand in line.
                    opacity: row.modelData.message !== 0 ? 1 : 0
                    enabled: row.modelData.message !== 0
                    iconName: row.modelData.pinned ? "pin-filled" : "pin"
                    hint: row.modelData.pinned
                        ? qsTr("Unpin from context") : qsTr("Pin in context")
                    onClicked: card.prompt.setPinned(row.modelData.message, !row.modelData.pinned)
                }
            }
        }
        ListView {
            id: exactText
            objectName: "promptText"
            Layout.fillWidth: true
            Layout.fillHeight: true
            implicitHeight: 480
            visible: body.exact
            clip: true
            boundsBehavior: Flickable.StopAtBounds
            model: card.prompt.pieces
            T.ScrollBar.vertical: ScrollThumb {}
            delegate: Text {
                required property string modelData

                width: exactText.width - Theme.m
                text: modelData
                textFormat: Text.PlainText
                wrapMode: Text.WrapAnywhere
                color: Theme.text
                font.family: Theme.fixedFontFamily
                font.pixelSize: Theme.smallSize - 1
            }
        }
        Flow {
            Layout.fillWidth: true
            spacing: Theme.s

            TextButton {
                objectName: "exactPrompt"
                visible: card.prompt.pieces.length > 0
                text: body.exact ? qsTr("Messages") : qsTr("The exact prompt")
                onClicked: body.exact = !body.exact
            }
            TextButton {
                visible: body.exact
                text: qsTr("Copy")
                onClicked: card.portal.copy(card.prompt.text())
            }
            TextButton {
                objectName: "whenFullButton"
                text: card.actions.hint("chatSettings")
                onClicked: {
                    card.close();
                    card.actions.run("chatSettings");
                }
            }
        }
    }
}
