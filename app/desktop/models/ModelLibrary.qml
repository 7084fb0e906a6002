// The models this person has used, and a way to a new one without a mouse.
import QtQuick
import QtQuick.Layouts
import QtQuick.Templates as T
import Inglenook

Card {
    id: library

    required property ModelListModel models
    required property ModelOffers offers
    required property SmallerModel smaller
    required property Actions actions
    required property DesktopPortal portal

    objectName: "modelLibrary"
    title: qsTr("Models")

    body: ColumnLayout {
        spacing: Theme.l
        Component.onCompleted: {
            library.offers.refresh();
            library.models.look();
            pathField.forceActiveFocus();
        }

        RowLayout {
            Layout.fillWidth: true
            visible: library.smaller.progress.length > 0
            spacing: Theme.s

            Text {
                objectName: "smallerInLibrary"
                Layout.fillWidth: true
                text: library.smaller.progress
                textFormat: Text.PlainText
                color: Theme.text
                font.pixelSize: Theme.textSize
                wrapMode: Text.Wrap
            }
            TextButton {
                objectName: "smallerShow"
                text: qsTr("Show")
                Accessible.name: qsTr("Show how far it is")
                onClicked: {
                    library.close();
                    library.smaller.show();
                }
            }
        }
        ListView {
            id: list
            Layout.fillWidth: true
            Layout.fillHeight: true
            implicitHeight: Math.min(contentHeight, 240)
            visible: count > 0
            clip: true
            spacing: 2
            keyNavigationEnabled: true
            activeFocusOnTab: true
            boundsBehavior: Flickable.StopAtBounds
            model: library.models
            Accessible.role: Accessible.List
            Accessible.name: qsTr("Models")
            T.ScrollBar.vertical: ScrollThumb {}
            section.property: "place"
            section.delegate: SectionHeading {}
            delegate: ModelRow {
                models: library.models
                width: ListView.view.width
                onChosen: library.close()
            }
        }
        Text {
            objectName: "remoteTrouble"
            textFormat: Text.PlainText
            Layout.fillWidth: true
            visible: text.length > 0
            text: library.models.remoteTrouble
            color: Theme.leaving
            font.pixelSize: Theme.smallSize
            wrapMode: Text.Wrap
        }
        Text {
            textFormat: Text.PlainText
            Layout.fillWidth: true
            text: qsTr("Drop a file or a folder anywhere on the window, or give its path:")
            color: Theme.mutedText
            font.pixelSize: Theme.smallSize
            wrapMode: Text.Wrap
        }
        RowLayout {
            Layout.fillWidth: true
            spacing: Theme.s

            InputField {
                id: pathField
                objectName: "modelPathField"
                Layout.fillWidth: true
                label: qsTr("Path of a model")
                placeholderText: qsTr("/path/to/model.gguf")
                onAccepted: openButton.clicked()
            }
            TextButton {
                id: openButton
                text: qsTr("Open")
                enabled: pathField.text.trim().length > 0
                onClicked: {
                    library.models.openPath(pathField.text.trim());
                    pathField.clear();
                    library.close();
                }
            }
            TextButton {
                objectName: "browseButton"
                text: qsTr("Browse…")
                onClicked: {
                    library.close();
                    library.actions.run("openModel");
                }
            }
        }
        ListView {
            id: offers
            objectName: "modelOffers"
            Layout.fillWidth: true
            Layout.fillHeight: true
            Layout.minimumHeight: Math.min(contentHeight, 96)
            implicitHeight: Math.min(contentHeight, 260)
            visible: count > 0
            clip: true
            spacing: Theme.s
            boundsBehavior: Flickable.StopAtBounds
            model: library.offers
            Accessible.role: Accessible.List
            Accessible.name: qsTr("Models that could be used")
            T.ScrollBar.vertical: ScrollThumb {}
            section.property: "section"
            section.delegate: SectionHeading {}
            delegate: ModelOfferRow {
                models: library.models
                portal: library.portal
                width: ListView.view.width - Theme.m
                onOpened: library.close()
            }
        }
        Text {
            textFormat: Text.PlainText
            Layout.fillWidth: true
            visible: text.length > 0
            text: [library.offers.computer, library.offers.age].filter(sentence => sentence.length > 0).join(" ")
            color: Theme.mutedText
            font.pixelSize: Theme.smallSize - 1
            wrapMode: Text.Wrap
        }
    }
}
