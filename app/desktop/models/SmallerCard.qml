// A model as it was published: use it as it is, or make it smaller; then how far that is.
import QtQuick
import QtQuick.Dialogs
import QtQuick.Layouts
import Inglenook

Card {
    id: card

    required property AppModel app
    readonly property SmallerModel smaller: app.models.smaller
    readonly property DesktopPortal portal: app.services.portal

    objectName: "smallerCard"
    title: smaller.name
    onClosed: smaller.closed()

    Connections {
        target: card.smaller
        function onChanged() {
            if (card.smaller.state === SmallerModel.Idle)
                card.close();
        }
    }

    FolderDialog {
        id: folderDialog
        title: qsTr("Where the smaller model goes")
        currentFolder: card.smaller.folder
        onAccepted: card.smaller.folder = selectedFolder
    }

    body: ColumnLayout {
        id: body

        readonly property bool making: card.smaller.state === SmallerModel.Making
        readonly property bool failed: card.smaller.state === SmallerModel.Failed

        function takeFocus() {
            const first = making ? background : card.smaller.fits ? asItIs : make;
            first.forceActiveFocus(Qt.TabFocusReason);
        }

        spacing: Theme.s
        Component.onCompleted: takeFocus()
        onMakingChanged: takeFocus()

        Text {
            objectName: "smallerSentence"
            Layout.fillWidth: true
            Layout.bottomMargin: Theme.s
            text: card.smaller.sentence
            textFormat: Text.PlainText
            color: body.failed ? Theme.danger : Theme.text
            font.pixelSize: Theme.textSize
            wrapMode: Text.Wrap
            Accessible.role: Accessible.AlertMessage
            Accessible.name: text
        }
        ErrorDetails {
            Layout.fillWidth: true
            Layout.leftMargin: -Theme.xs  // its icon, not its surface, stands at the edge
            portal: card.portal
            words: body.failed ? card.smaller.failureDetails : ""
        }

        Rectangle {
            objectName: "smallerProgress"
            Layout.fillWidth: true
            implicitHeight: Theme.s
            visible: body.making
            radius: height / 2
            color: Theme.surface
            Accessible.role: Accessible.ProgressBar
            Accessible.name: card.smaller.progress

            Rectangle {
                width: Math.max(parent.height, parent.width * card.smaller.fraction)
                height: parent.height
                radius: height / 2
                color: Theme.accent
            }
        }
        Text {
            Layout.fillWidth: true
            visible: body.making
            text: card.smaller.timeLeft
            textFormat: Text.PlainText
            color: Theme.mutedText
            font.pixelSize: Theme.smallSize
            wrapMode: Text.Wrap
        }
        TextButton {
            id: background
            objectName: "smallerBackground"
            Layout.fillWidth: true
            visible: body.making
            prominent: true
            text: qsTr("Go on in the background")
            Keys.onReturnPressed: clicked()
            Keys.onEnterPressed: clicked()
            onClicked: card.close()
        }

        TextButton {
            id: asItIs
            objectName: "smallerAsItIs"
            Layout.fillWidth: true
            visible: !body.making
            prominent: card.smaller.fits
            text: qsTr("Use as it is")
            Keys.onReturnPressed: clicked()
            Keys.onEnterPressed: clicked()
            onClicked: card.smaller.useAsItIs()
        }
        TextButton {
            id: make
            objectName: "smallerMake"
            Layout.fillWidth: true
            visible: !body.making
            prominent: !card.smaller.fits
            text: card.smaller.makeWords
            Keys.onReturnPressed: clicked()
            Keys.onEnterPressed: clicked()
            onClicked: card.smaller.make()
        }
        TextButton {
            objectName: "smallerCancel"
            Layout.fillWidth: true
            text: qsTr("Cancel")
            Keys.onReturnPressed: clicked()
            Keys.onEnterPressed: clicked()
            onClicked: body.making ? card.smaller.stop() : card.close()
        }

        RowLayout {
            Layout.fillWidth: true
            Layout.topMargin: Theme.s
            visible: !body.making
            spacing: Theme.s

            Text {
                objectName: "smallerPlace"
                Layout.fillWidth: true
                text: card.smaller.place
                textFormat: Text.PlainText
                color: Theme.mutedText
                font.pixelSize: Theme.smallSize
                wrapMode: Text.WrapAtWordBoundaryOrAnywhere
            }
            TextButton {
                objectName: "smallerFolder"
                text: qsTr("Another folder…")
                Keys.onReturnPressed: clicked()
                Keys.onEnterPressed: clicked()
                onClicked: folderDialog.open()
            }
        }
    }
}
