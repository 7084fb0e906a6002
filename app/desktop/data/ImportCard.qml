// Chats that somebody brings: what is in the file, the question, how far it is, and what came of it.
import QtQuick
import QtQuick.Layouts
import Inglenook

Card {
    id: card

    required property AppModel app
    readonly property ChatImport importer: app.data.chatImport
    readonly property DesktopPortal portal: app.services.portal

    objectName: "importCard"
    title: qsTr("Import chats")
    // Closed while it works, it goes on behind the window; what it says then is a toast.
    onClosed: {
        if (importer.state !== ChatImport.Importing && importer.state !== ChatImport.Idle)
            importer.cancel();
    }

    Connections {
        target: card.importer
        function onChanged() {
            if (card.importer.state === ChatImport.Idle)
                card.close();
            else if (card.importer.state === ChatImport.Failed)
                card.open();
        }
    }

    body: ColumnLayout {
        id: body

        readonly property bool working: card.importer.state === ChatImport.Looking
            || card.importer.state === ChatImport.Importing
        readonly property bool asking: card.importer.state === ChatImport.Asking
        readonly property bool done: card.importer.state === ChatImport.Done
        property bool listed: false

        spacing: Theme.m

        Text {
            objectName: "importSentence"
            textFormat: Text.PlainText
            Layout.fillWidth: true
            text: card.importer.sentence
            color: card.importer.state === ChatImport.Failed ? Theme.danger : Theme.text
            font.pixelSize: Theme.textSize
            wrapMode: Text.Wrap
            Accessible.role: Accessible.AlertMessage
            Accessible.name: text
        }
        ErrorDetails {
            Layout.fillWidth: true
            Layout.leftMargin: -Theme.xs  // its icon, not its surface, stands at the edge
            portal: card.portal
            words: card.importer.details
        }
        Rectangle {
            Layout.fillWidth: true
            implicitHeight: Theme.s
            visible: body.working
            radius: height / 2
            color: Theme.surface
            Accessible.role: Accessible.ProgressBar
            Accessible.name: card.importer.sentence

            Rectangle {
                width: Math.max(parent.height, parent.width * card.importer.fraction)
                height: parent.height
                radius: height / 2
                color: Theme.accent
            }
        }
        TextButton {
            objectName: "importLeftOut"
            visible: card.importer.leftOut.length > 0
            text: body.listed ? qsTr("Hide what does not come along") : qsTr("What does not come along")
            onClicked: body.listed = !body.listed
        }
        Text {
            objectName: "importLosses"
            textFormat: Text.PlainText
            Layout.fillWidth: true
            visible: body.listed && card.importer.leftOut.length > 0
            text: card.importer.leftOut.join("\n")
            color: Theme.mutedText
            font.pixelSize: Theme.smallSize
            wrapMode: Text.Wrap
        }
        Text {
            textFormat: Text.PlainText
            Layout.fillWidth: true
            visible: body.asking
            text: qsTr("They are put beside your own; Ctrl+Z takes them back.")
            color: Theme.mutedText
            font.pixelSize: Theme.smallSize
            wrapMode: Text.Wrap
        }
        Flow {
            Layout.fillWidth: true
            layoutDirection: Qt.RightToLeft
            spacing: Theme.s

            TextButton {
                objectName: "importStart"
                visible: body.asking
                prominent: true
                text: qsTr("Import")
                onClicked: card.importer.start()
                onVisibleChanged: {
                    if (visible)
                        forceActiveFocus(Qt.TabFocusReason);
                }
                Keys.onReturnPressed: clicked()
                Keys.onEnterPressed: clicked()
            }
            TextButton {
                objectName: "importCancel"
                text: body.working ? qsTr("Cancel") : body.asking ? qsTr("Cancel") : qsTr("Close")
                prominent: !body.working && !body.asking
                onClicked: card.importer.cancel()
                Keys.onReturnPressed: clicked()
                Keys.onEnterPressed: clicked()
            }
            TextButton {
                objectName: "importTakeBack"
                visible: body.done
                text: qsTr("Undo")
                onClicked: card.importer.takeBack()
            }
        }
    }
}
