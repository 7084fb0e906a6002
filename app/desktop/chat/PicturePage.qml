// A picture as a whole. Left and right lead to the others of the message.
import QtQuick
import QtQuick.Layouts
import Inglenook

Page {
    id: page

    required property AppModel app
    required property SaveDialog dialog
    readonly property PictureViewer viewer: app.chats.shownPage.viewer

    function takeFocus() {
        view.forceActiveFocus();
    }

    objectName: "picturePage"
    title: viewer.title
    tools: [
        Text {
            visible: text.length > 0 && !page.narrow
            text: page.viewer.place
            textFormat: Text.PlainText
            color: Theme.mutedText
            font.pixelSize: Theme.smallSize
            Accessible.role: Accessible.StaticText
            Accessible.name: text
        },
        IconButton {
            objectName: "previousPicture"
            visible: page.viewer.place.length > 0
            iconName: "chevron-left"
            turned: Application.layoutDirection === Qt.RightToLeft
            hint: qsTr("Previous picture")
            onClicked: page.viewer.step(-1)
        },
        IconButton {
            objectName: "nextPicture"
            visible: page.viewer.place.length > 0
            iconName: "chevron-right"
            turned: Application.layoutDirection === Qt.RightToLeft
            hint: qsTr("Next picture")
            onClicked: page.viewer.step(1)
        },
        IconButton {
            objectName: "savePicture"
            iconName: "save"
            hint: qsTr("Save the picture as…")
            onClicked: page.dialog.ask(qsTr("Save the picture"), page.viewer.fileName,
                                       (file, replace) => page.viewer.save(file, replace))
        }
    ]

    ColumnLayout {
        anchors.fill: parent
        anchors.leftMargin: page.margin
        anchors.rightMargin: page.margin
        anchors.bottomMargin: page.margin
        spacing: Theme.m

        FocusScope {
            id: view

            readonly property int forward: Application.layoutDirection === Qt.RightToLeft ? -1 : 1

            Layout.fillWidth: true
            Layout.fillHeight: true
            activeFocusOnTab: true
            Accessible.role: Accessible.Graphic
            Accessible.name: page.title
            Keys.onLeftPressed: page.viewer.step(-forward)
            Keys.onRightPressed: page.viewer.step(forward)

            StoredPicture {
                id: picture
                objectName: "wholePicture"
                anchors.fill: parent
                pictures: page.viewer.pictures
                hash: page.viewer.hash
                whole: true
            }
            Text {
                anchors.centerIn: parent
                width: Math.min(implicitWidth, parent.width)
                visible: picture.pixels.height === 0
                text: picture.problem.length > 0 ? picture.problem : qsTr("Opening the picture…")
                textFormat: Text.PlainText
                wrapMode: Text.Wrap
                color: picture.problem.length > 0 ? Theme.danger : Theme.mutedText
                font.pixelSize: Theme.textSize
                Accessible.role: Accessible.StaticText
                Accessible.name: text
            }
        }
        Text {
            Layout.fillWidth: true
            Layout.maximumWidth: Theme.columnWidth
            Layout.alignment: Qt.AlignHCenter
            visible: page.viewer.editable
            text: qsTr("What it shows, for the search and for screen readers")
            textFormat: Text.PlainText
            wrapMode: Text.Wrap
            color: Theme.mutedText
            font.pixelSize: Theme.smallSize
        }
        InputField {
            objectName: "pictureName"
            Layout.fillWidth: true
            Layout.maximumWidth: Theme.columnWidth
            Layout.alignment: Qt.AlignHCenter
            visible: page.viewer.editable
            label: qsTr("What it shows, for the search and for screen readers")
            text: page.viewer.name
            onTextEdited: page.viewer.describe(text)
            onAccepted: page.done()
        }
    }
}
